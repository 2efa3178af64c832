import core.matches
import django.db.models.deletion
import webadmin.tables_at_once
import webadmin.ui.models.fields
import webadmin.ui.models.phrases
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('accounts', '0001_initial'),
        ('accounts', '__first__'),
        ('watched_sites', '0001_initial'),
        ('works', '0001_initial'),
    ]

    operations = [
        webadmin.tables_at_once.CreateModels(
            models=[
                migrations.CreateModel(
                    name='RewordedLead',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('chapter_title', models.CharField(blank=True, max_length=300, verbose_name='chapter')),
                        ('text_id', models.CharField(max_length=40, verbose_name='text id')),
                        ('page_url', models.TextField(verbose_name='page URL')),
                        ('page_title', models.CharField(blank=True, max_length=500, verbose_name='page title')),
                        ('state', models.CharField(choices=webadmin.ui.models.phrases.reworded_state_choices, default=core.matches.RewordedState['WAITING'], max_length=16, verbose_name='state')),
                        ('found_as', models.CharField(choices=webadmin.ui.models.phrases.reworded_class_choices, max_length=16, verbose_name='class')),
                        ('score', models.FloatField(verbose_name='score')),
                        ('elsewhere', models.FloatField(verbose_name='stated elsewhere')),
                        ('band', models.CharField(blank=True, max_length=16, verbose_name='band')),
                        ('band_alarms', models.PositiveIntegerField(blank=True, null=True, verbose_name='false alarms among unrelated passages')),
                        ('band_passages', models.PositiveIntegerField(blank=True, null=True, verbose_name='unrelated passages measured')),
                        ('pairs', models.JSONField(default=list, verbose_name='sentences that correspond')),
                        ('pair_count', models.PositiveIntegerField(verbose_name='sentences with a counterpart')),
                        ('sentence_count', models.PositiveIntegerField(verbose_name='sentences on the page')),
                        ('in_order', models.PositiveIntegerField(verbose_name='of these, in the same order')),
                        ('algorithm_version', models.PositiveSmallIntegerField(verbose_name='algorithm')),
                        ('ingredients', models.JSONField(default=dict)),
                        ('code_version', models.CharField(max_length=40, verbose_name='code version')),
                        ('version_id', models.CharField(max_length=40, verbose_name='page version')),
                        ('fetched_at', models.DateTimeField(verbose_name='fetched')),
                        ('raw_digest', models.CharField(max_length=64, verbose_name='digest of the response')),
                        ('page_text_digest', models.CharField(max_length=64, verbose_name="digest of the page's text")),
                        ('work_text_digest', models.CharField(max_length=64, verbose_name="digest of the work's text")),
                        ('found_at', models.DateTimeField(verbose_name='found')),
                        ('lapsed_at', models.DateTimeField(blank=True, null=True, verbose_name='no longer found since')),
                        ('chapter', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='reworded_leads', to='works.chapter', verbose_name='chapter')),
                        ('page', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='reworded_leads', to='watched_sites.pagerecord', verbose_name='page')),
                        ('rights_holder', webadmin.ui.models.fields.CopiedKey(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', source='page.rights_holder', to='accounts.rightsholder', verbose_name='rights holder')),
                        ('site', webadmin.ui.models.fields.CopiedKey(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', source='page.site', to='watched_sites.site', verbose_name='site')),
                        ('work', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reworded_leads', to='works.work', verbose_name='work')),
                    ],
                    options={
                        'verbose_name': 'suspected rewrite or translation',
                        'verbose_name_plural': 'suspected rewrites and translations',
                        'ordering': ['-state', '-score', '-pk'],
                        'indexes': [models.Index(fields=['text_id'], name='rewrites_re_text_id_10611f_idx'), models.Index(condition=models.Q(('lapsed_at', None)), fields=['rights_holder', '-found_at'], name='newest_of_holder'), models.Index(condition=models.Q(('lapsed_at', None)), fields=['-found_at'], name='newest_of_all'), models.Index(condition=models.Q(('lapsed_at', None)), fields=['-state', '-score'], name='lead_of_all'), models.Index(condition=models.Q(('lapsed_at', None)), fields=['rights_holder', '-state', '-score'], name='lead_of_holder'), models.Index(condition=models.Q(('lapsed_at', None)), fields=['site', '-state', '-score'], name='lead_of_site'), models.Index(condition=models.Q(('lapsed_at', None)), fields=['work', '-state', '-score'], name='lead_of_work'), models.Index(condition=models.Q(('lapsed_at__isnull', False)), fields=['-state', '-score'], name='lapsed_of_all'), models.Index(condition=models.Q(('lapsed_at__isnull', False)), fields=['rights_holder', '-state', '-score'], name='lapsed_of_holder'), models.Index(condition=models.Q(('lapsed_at__isnull', False)), fields=['site', '-state', '-score'], name='lapsed_of_site'), models.Index(condition=models.Q(('lapsed_at__isnull', False)), fields=['work', '-state', '-score'], name='lapsed_of_work')],
                        'constraints': [models.UniqueConstraint(fields=('page', 'text_id'), name='one_lead_a_page_and_text')],
                    },
                ),
                migrations.CreateModel(
                    name='RewordedVerdict',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('verdict', models.CharField(blank=True, choices=webadmin.ui.models.phrases.reworded_state_choices, max_length=16, verbose_name='verdict')),
                        ('note', models.TextField(blank=True, verbose_name='note')),
                        ('score', models.FloatField(verbose_name='score')),
                        ('algorithm_version', models.PositiveSmallIntegerField(verbose_name='algorithm')),
                        ('page_version_id', models.CharField(max_length=40, verbose_name='page version')),
                        ('decided_at', models.DateTimeField(verbose_name='decided')),
                        ('decided_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='reviewer')),
                        ('lead', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='verdicts', to='rewrites.rewordedlead', verbose_name='suspected rewrite')),
                    ],
                    options={
                        'verbose_name': 'verdict on a suspected rewrite',
                        'verbose_name_plural': 'verdicts on suspected rewrites',
                        'ordering': ['-decided_at', '-pk'],
                    },
                ),
                migrations.CreateModel(
                    name='RewordedCheck',
                    fields=[
                        ('page', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='reworded_check', serialize=False, to='watched_sites.pagerecord', verbose_name='page')),
                        ('algorithm_version', models.PositiveSmallIntegerField(verbose_name='algorithm')),
                        ('works_until', models.DateTimeField(verbose_name='compared up to')),
                        ('checked_at', models.DateTimeField(verbose_name='checked')),
                        ('rights_holder', webadmin.ui.models.fields.CopiedKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', source='page.rights_holder', to='accounts.rightsholder', verbose_name='rights holder')),
                    ],
                    options={
                        'verbose_name': 'check for rewrites',
                        'verbose_name_plural': 'checks for rewrites',
                        'indexes': [models.Index(fields=['rights_holder', 'algorithm_version', 'works_until', 'page'], name='reworded_check_age')],
                    },
                ),
            ],
        ),
    ]
