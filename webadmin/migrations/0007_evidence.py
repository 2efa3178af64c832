import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('webadmin', '0006_politeness'),
    ]

    operations = [
        migrations.CreateModel(
            name='EvidenceCheck',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('started_at', models.DateTimeField(verbose_name='started')),
                ('ended_at', models.DateTimeField(verbose_name='ended')),
                ('bundles', models.PositiveIntegerField(verbose_name='bundles')),
                ('read_bytes', models.PositiveBigIntegerField(verbose_name='bytes read')),
                ('faults', models.JSONField(default=list, verbose_name='faults')),
            ],
            options={
                'verbose_name': 'check of the evidence',
                'verbose_name_plural': 'checks of the evidence',
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
                ('made_at', models.DateTimeField(verbose_name='made')),
            ],
            options={
                'verbose_name': 'tree of a day',
                'verbose_name_plural': 'trees of days',
                'ordering': ['-day', '-pk'],
                'constraints': [models.UniqueConstraint(fields=('day', 'root'), name='one_tree_a_day_and_root')],
            },
        ),
        migrations.CreateModel(
            name='EvidenceBundle',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version_id', models.CharField(max_length=40, verbose_name='page version')),
                ('kind', models.CharField(choices=[('record', 'response and finding'), ('drawn', 'with screenshot and PDF')], default='record', max_length=8, verbose_name='kind')),
                ('digest', models.CharField(max_length=64, unique=True, verbose_name='digest')),
                ('sha256', models.CharField(max_length=64, verbose_name='SHA-256 of the file')),
                ('size_bytes', models.PositiveBigIntegerField(verbose_name='size')),
                ('fetched_at', models.DateTimeField(verbose_name='fetched')),
                ('day', models.DateField(db_index=True, verbose_name='day')),
                ('made_at', models.DateTimeField(verbose_name='made')),
                ('state', models.CharField(choices=[('held', 'held'), ('changed', 'changed'), ('missing', 'missing'), ('removed', 'removed by retention')], default='held', max_length=8, verbose_name='state')),
                ('checked_at', models.DateTimeField(blank=True, null=True, verbose_name='checked')),
                ('drawing', models.CharField(choices=[('waiting', 'not drawn yet'), ('drawn', 'drawn'), ('failed', 'could not be drawn')], default='waiting', max_length=8, verbose_name='screenshot')),
                ('case', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='bundles', to='webadmin.case', verbose_name='case')),
                ('match', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='bundles', to='webadmin.casematch', verbose_name='match')),
            ],
            options={
                'verbose_name': 'evidence bundle',
                'verbose_name_plural': 'evidence bundles',
                'ordering': ['-made_at', '-pk'],
            },
        ),
        migrations.CreateModel(
            name='RetentionLog',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('removed_at', models.DateTimeField(verbose_name='removed')),
                ('reason', models.CharField(max_length=300, verbose_name='reason')),
                ('bundle', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='removal', to='webadmin.evidencebundle', verbose_name='bundle')),
            ],
            options={
                'verbose_name': 'removal by retention',
                'verbose_name_plural': 'removals by retention',
                'ordering': ['-removed_at', '-pk'],
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
                ('tree', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='stamps', to='webadmin.daytree', verbose_name='tree')),
            ],
            options={
                'verbose_name': 'time stamp',
                'verbose_name_plural': 'time stamps',
                'ordering': ['-received_at', '-pk'],
            },
        ),
        migrations.CreateModel(
            name='StampAttempt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('authority', models.CharField(max_length=300, verbose_name='authority')),
                ('attempts', models.PositiveIntegerField(default=0, verbose_name='attempts')),
                ('error', models.TextField(blank=True, verbose_name='error')),
                ('next_at', models.DateTimeField(verbose_name='asked again')),
                ('tree', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='attempts', to='webadmin.daytree', verbose_name='tree')),
            ],
            options={
                'verbose_name': 'failed request for a stamp',
                'verbose_name_plural': 'failed requests for stamps',
                'ordering': ['next_at', 'pk'],
            },
        ),
        migrations.AddConstraint(
            model_name='evidencebundle',
            constraint=models.UniqueConstraint(fields=('match', 'kind'), name='one_bundle_a_match_and_kind'),
        ),
        migrations.AddConstraint(
            model_name='stamp',
            constraint=models.UniqueConstraint(fields=('tree', 'authority'), name='one_stamp_a_tree_and_authority'),
        ),
        migrations.AddConstraint(
            model_name='stampattempt',
            constraint=models.UniqueConstraint(fields=('tree', 'authority'), name='one_attempt_a_tree_and_authority'),
        ),
    ]
