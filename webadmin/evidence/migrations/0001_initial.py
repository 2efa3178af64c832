import django.db.models.deletion
import webadmin.tables_at_once
import webadmin.ui.models.fields
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('accounts', '0001_initial'),
        ('accounts', '__first__'),
        ('cases', '0001_initial'),
    ]

    operations = [
        webadmin.tables_at_once.CreateModels(
            models=[
                migrations.CreateModel(
                    name='EvidenceCheck',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('started_at', models.DateTimeField(verbose_name='started')),
                        ('ended_at', models.DateTimeField(verbose_name='ended')),
                        ('bundles', models.PositiveIntegerField(verbose_name='bundles')),
                        ('files', models.PositiveIntegerField(default=0, verbose_name='kept files')),
                        ('read_bytes', models.PositiveBigIntegerField(verbose_name='bytes read')),
                        ('faults', models.JSONField(default=list, verbose_name='faults')),
                    ],
                    options={
                        'verbose_name': 'evidence check',
                        'verbose_name_plural': 'evidence checks',
                        'ordering': ['-started_at', '-pk'],
                    },
                ),
                migrations.CreateModel(
                    name='DayTree',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('day', models.DateField(verbose_name='day')),
                        ('root', models.CharField(max_length=64, verbose_name='root')),
                        ('leaves', models.JSONField(verbose_name='digests')),
                        ('made_at', models.DateTimeField(verbose_name='generated at')),
                    ],
                    options={
                        'verbose_name': 'daily tree',
                        'verbose_name_plural': 'daily trees',
                        'ordering': ['-day', '-pk'],
                        'constraints': [models.UniqueConstraint(fields=('day', 'root'), name='one_tree_a_day_and_root')],
                    },
                ),
                migrations.CreateModel(
                    name='EvidenceBundle',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('version_id', models.CharField(max_length=40, verbose_name='page version')),
                        ('kind', models.CharField(choices=[('record', 'response and finding'), ('drawn', 'with screenshot and PDF'), ('removal', 'response that proves a removal')], default='record', max_length=8, verbose_name='kind')),
                        ('digest', models.CharField(max_length=64, unique=True, verbose_name='digest')),
                        ('sha256', models.CharField(max_length=64, verbose_name='SHA-256 of the file')),
                        ('size_bytes', models.PositiveBigIntegerField(verbose_name='size')),
                        ('fetched_at', models.DateTimeField(verbose_name='fetched')),
                        ('day', models.DateField(db_index=True, verbose_name='day')),
                        ('made_at', models.DateTimeField(verbose_name='generated at')),
                        ('state', models.CharField(choices=[('held', 'intact'), ('changed', 'changed'), ('missing', 'missing'), ('removed', 'removed by retention')], default='held', max_length=8, verbose_name='state')),
                        ('checked_at', models.DateTimeField(blank=True, null=True, verbose_name='checked')),
                        ('drawing', models.CharField(choices=[('waiting', 'not rendered yet'), ('drawn', 'rendered'), ('failed', 'could not be rendered')], default='waiting', max_length=8, verbose_name='screenshot')),
                        ('drawn_pages', models.JSONField(blank=True, default=list, verbose_name='pages rendered')),
                        ('case', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='bundles', to='cases.case', verbose_name='case')),
                        ('match', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='bundles', to='cases.casematch', verbose_name='match')),
                        ('rights_holder', webadmin.ui.models.fields.CopiedKey(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', source='case.rights_holder', to='accounts.rightsholder', verbose_name='rights holder')),
                    ],
                    options={
                        'verbose_name': 'evidence bundle',
                        'verbose_name_plural': 'evidence bundles',
                        'ordering': ['-made_at', '-pk'],
                        'indexes': [models.Index(fields=['rights_holder', '-made_at'], name='evidence_ev_rights__40e3e0_idx'), models.Index(fields=['-made_at'], name='evidence_ev_made_at_ac2314_idx'), models.Index(fields=['rights_holder', 'state', '-made_at'], name='evidence_ev_rights__f210b3_idx'), models.Index(fields=['state', '-made_at'], name='evidence_ev_state_eb5f05_idx'), models.Index(fields=['rights_holder', 'kind', '-made_at'], name='evidence_ev_rights__9ed237_idx'), models.Index(fields=['kind', '-made_at'], name='evidence_ev_kind_3472ca_idx'), models.Index(fields=['rights_holder', 'drawing', '-made_at'], name='evidence_ev_rights__e120dc_idx'), models.Index(fields=['drawing', '-made_at'], name='evidence_ev_drawing_becb77_idx'), models.Index(fields=['sha256'], name='evidence_ev_sha256_d7b5b8_idx')],
                        'constraints': [models.UniqueConstraint(condition=models.Q(('kind', 'removal'), _negated=True), fields=('match', 'kind'), name='one_bundle_a_match_and_kind')],
                    },
                ),
                migrations.CreateModel(
                    name='RetentionLog',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('removed_at', models.DateTimeField(verbose_name='removed')),
                        ('reason', models.CharField(max_length=300, verbose_name='reason')),
                        ('bundle', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='removal', to='evidence.evidencebundle', verbose_name='bundle')),
                        ('rights_holder', webadmin.ui.models.fields.CopiedKey(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', source='bundle.rights_holder', to='accounts.rightsholder', verbose_name='rights holder')),
                    ],
                    options={
                        'verbose_name': 'removal by retention',
                        'verbose_name_plural': 'removals by retention',
                        'ordering': ['-removed_at', '-pk'],
                        'indexes': [models.Index(fields=['rights_holder', '-removed_at'], name='evidence_re_rights__81101b_idx')],
                    },
                ),
                migrations.CreateModel(
                    name='Stamp',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('authority', models.CharField(max_length=300, verbose_name='authority')),
                        ('query', models.BinaryField(verbose_name='query')),
                        ('response', models.BinaryField(verbose_name='response')),
                        ('ca_pem', models.BinaryField(verbose_name='root certificates')),
                        ('stamped_at', models.DateTimeField(verbose_name='stamped')),
                        ('signer', models.CharField(blank=True, max_length=500, verbose_name='signed by')),
                        ('received_at', models.DateTimeField(verbose_name='received')),
                        ('tree', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='stamps', to='evidence.daytree', verbose_name='tree')),
                    ],
                    options={
                        'verbose_name': 'time stamp',
                        'verbose_name_plural': 'time stamps',
                        'ordering': ['-received_at', '-pk'],
                        'constraints': [models.UniqueConstraint(fields=('tree', 'authority'), name='one_stamp_a_tree_and_authority')],
                    },
                ),
                migrations.CreateModel(
                    name='StampAttempt',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('authority', models.CharField(max_length=300, verbose_name='authority')),
                        ('attempts', models.PositiveIntegerField(default=0, verbose_name='attempts')),
                        ('error', webadmin.ui.models.fields.MessageField(blank=True, null=True, verbose_name='error')),
                        ('next_at', models.DateTimeField(verbose_name='next request')),
                        ('tree', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='attempts', to='evidence.daytree', verbose_name='tree')),
                    ],
                    options={
                        'verbose_name': 'failed time stamp request',
                        'verbose_name_plural': 'failed time stamp requests',
                        'ordering': ['next_at', 'pk'],
                        'constraints': [models.UniqueConstraint(fields=('tree', 'authority'), name='one_attempt_a_tree_and_authority')],
                    },
                ),
                migrations.CreateModel(
                    name='ThirdPartyProof',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('entered_at', models.DateTimeField(verbose_name='entered')),
                        ('kind', models.CharField(choices=[('notarial', 'notarial deed'), ('time-stamp', 'trusted time stamp certificate'), ('chain', 'registration on a blockchain')], max_length=12, verbose_name='kind')),
                        ('issuer', models.CharField(max_length=200, verbose_name='issued by')),
                        ('platform', models.CharField(blank=True, max_length=200, verbose_name='platform')),
                        ('number', models.CharField(max_length=200, verbose_name='number')),
                        ('made_on', models.DateField(verbose_name='date of issue')),
                        ('name', models.CharField(max_length=200, verbose_name='file')),
                        ('ending', models.CharField(max_length=8)),
                        ('digest', models.CharField(max_length=64, verbose_name='SHA-256')),
                        ('size_bytes', models.PositiveIntegerField(verbose_name='size')),
                        ('note', models.TextField(blank=True, verbose_name='note')),
                        ('tokens', models.JSONField(blank=True, default=list)),
                        ('unread', webadmin.ui.models.fields.MessageField(blank=True, null=True, verbose_name='reason not read')),
                        ('withdrawn_at', models.DateTimeField(blank=True, null=True, verbose_name='withdrawn')),
                        ('withdrawn_because', models.CharField(blank=True, max_length=300, verbose_name='reason for withdrawal')),
                        ('case', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='%(class)ss', to='cases.case', verbose_name='case')),
                        ('entered_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='entered by')),
                        ('matter', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='%(class)ss', to='cases.matter', verbose_name='matter')),
                        ('rights_holder', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.rightsholder', verbose_name='rights holder')),
                        ('withdrawn_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='withdrawn by')),
                    ],
                    options={
                        'verbose_name': 'third-party proof',
                        'verbose_name_plural': 'third-party proofs',
                        'ordering': ['-entered_at', '-pk'],
                        'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('case__isnull', False), ('matter__isnull', True)), models.Q(('case__isnull', True), ('matter__isnull', False)), _connector='OR'), name='proof_of_a_case_or_a_matter')],
                    },
                ),
                migrations.CreateModel(
                    name='ProofCoverage',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('how', models.CharField(choices=[('stamped', 'a signed time stamp on it'), ('unsigned', 'a time stamp on it whose signature could not be checked'), ('named', 'its digest is written in it')], max_length=8)),
                        ('what', models.CharField(choices=[('bundle', "the bundle's digest"), ('file', "the digest of the bundle's file"), ('root', "the root of the bundle's day")], max_length=8)),
                        ('bundle', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='covered_by', to='evidence.evidencebundle', verbose_name='bundle')),
                        ('rights_holder', webadmin.ui.models.fields.CopiedKey(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', source='proof.rights_holder', to='accounts.rightsholder', verbose_name='rights holder')),
                        ('proof', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='covered', to='evidence.thirdpartyproof', verbose_name='proof')),
                    ],
                    options={
                        'verbose_name': 'bundle covered by a proof',
                        'verbose_name_plural': 'bundles covered by proofs',
                        'constraints': [models.UniqueConstraint(fields=('proof', 'bundle'), name='one_coverage_a_proof_and_bundle')],
                    },
                ),
                migrations.CreateModel(
                    name='ThirdPartyTask',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('entered_at', models.DateTimeField(verbose_name='entered')),
                        ('asked', models.CharField(max_length=200, verbose_name='institution')),
                        ('until', models.DateField(verbose_name='until')),
                        ('note', models.CharField(blank=True, max_length=500, verbose_name='note')),
                        ('ended_at', models.DateTimeField(blank=True, null=True, verbose_name='ended')),
                        ('given_up_because', models.CharField(blank=True, max_length=300, verbose_name='reason for abandoning')),
                        ('case', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='%(class)ss', to='cases.case', verbose_name='case')),
                        ('done_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='tasks', to='evidence.thirdpartyproof', verbose_name='done by')),
                        ('ended_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='ended by')),
                        ('entered_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='entered by')),
                        ('matter', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='%(class)ss', to='cases.matter', verbose_name='matter')),
                        ('rights_holder', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.rightsholder', verbose_name='rights holder')),
                    ],
                    options={
                        'verbose_name': 'capture by a third party',
                        'verbose_name_plural': 'captures by third parties',
                        'ordering': ['until', 'pk'],
                        'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('case__isnull', False), ('matter__isnull', True)), models.Q(('case__isnull', True), ('matter__isnull', False)), _connector='OR'), name='task_of_a_case_or_a_matter')],
                    },
                ),
            ],
        ),
    ]
