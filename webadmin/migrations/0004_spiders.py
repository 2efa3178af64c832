import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('webadmin', '0003_matches_by_text'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='site',
            name='kind',
            field=models.CharField(choices=[('generic', 'website (links are followed)'), ('sitemap', 'sitemap'), ('feed', 'RSS or Atom feed'), ('novel', 'novel (catalogue and chapters)'), ('list', 'list of pages'), ('archive', 'archive files (nothing is crawled)')], default='generic', max_length=16, verbose_name='kind of site'),
        ),
        migrations.AlterField(
            model_name='site',
            name='start_urls',
            field=models.TextField(blank=True, help_text='One a line.', verbose_name='start URLs'),
        ),
        migrations.CreateModel(
            name='ArchiveImport',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('path', models.CharField(max_length=1000, verbose_name='file')),
                ('size_bytes', models.BigIntegerField(default=0, verbose_name='bytes')),
                ('file_mark', models.CharField(blank=True, editable=False, max_length=64)),
                ('state', models.CharField(choices=[('queued', 'queued'), ('running', 'being read'), ('finished', 'finished'), ('failed', 'failed')], default='queued', max_length=16, verbose_name='state')),
                ('position', models.JSONField(blank=True, default=dict, editable=False)),
                ('counts', models.JSONField(blank=True, default=dict, verbose_name='counts')),
                ('faults', models.JSONField(blank=True, default=list, verbose_name='faults')),
                ('requested_at', models.DateTimeField(auto_now_add=True, verbose_name='requested')),
                ('heartbeat_at', models.DateTimeField(blank=True, null=True, verbose_name='last sign of life')),
                ('finished_at', models.DateTimeField(blank=True, null=True, verbose_name='finished')),
                ('requested_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL, verbose_name='requested by')),
                ('rights_holder', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='imports', to='webadmin.rightsholder', verbose_name='rights holder')),
                ('site', models.ForeignKey(blank=True, help_text='Empty: each page goes to the site that owns its host; pages of other hosts are left out.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='imports', to='webadmin.site', verbose_name='site')),
            ],
            options={
                'verbose_name': 'archive import',
                'verbose_name_plural': 'archive imports',
                'ordering': ['-requested_at', '-pk'],
            },
        ),
        migrations.CreateModel(
            name='DiscoveryPlan',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('is_active', models.BooleanField(default=True, verbose_name='looked for')),
                ('queries_a_day', models.PositiveSmallIntegerField(default=5, help_text='At most so many sentences of this work are sent to the search engine on one day.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(200)], verbose_name='queries a day')),
                ('accept_from_chars', models.PositiveIntegerField(blank=True, help_text='Empty: a person decides on every site that was found.', null=True, validators=[django.core.validators.MinValueValidator(100)], verbose_name='accept by itself from so many copied characters')),
                ('added_at', models.DateTimeField(auto_now_add=True, verbose_name='added')),
                ('work', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='discovery', to='webadmin.work', verbose_name='work')),
            ],
            options={
                'verbose_name': 'search for a work',
                'verbose_name_plural': 'searches for works',
                'ordering': ['work__title', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='DiscoveryQuery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('chapter_number', models.PositiveIntegerField(verbose_name='chapter')),
                ('sentence', models.CharField(max_length=100, verbose_name='sentence')),
                ('state', models.CharField(choices=[('asked', 'asked'), ('answered', 'answered'), ('failed', 'failed')], default='asked', max_length=16, verbose_name='state')),
                ('asked_at', models.DateTimeField(db_index=True, verbose_name='asked at')),
                ('results', models.PositiveIntegerField(default=0, verbose_name='results')),
                ('left_out', models.JSONField(blank=True, default=dict, verbose_name='left out')),
                ('fault', models.CharField(blank=True, max_length=500, verbose_name='fault')),
                ('work', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='discovery_queries', to='webadmin.work', verbose_name='work')),
            ],
            options={
                'verbose_name': 'search query',
                'verbose_name_plural': 'search queries',
                'ordering': ['-asked_at', '-pk'],
            },
        ),
        migrations.CreateModel(
            name='DiscoveredPage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('url', models.CharField(max_length=2000, verbose_name='URL')),
                ('url_digest', models.CharField(editable=False, max_length=64)),
                ('host', models.CharField(db_index=True, max_length=260, verbose_name='host')),
                ('title', models.CharField(blank=True, max_length=300, verbose_name='title')),
                ('state', models.CharField(choices=[('proposed', 'proposed'), ('accepted', 'watched'), ('dismissed', 'dismissed'), ('no_copy', 'no copy'), ('unreadable', 'could not be read')], default='proposed', max_length=16, verbose_name='state')),
                ('match_class', models.CharField(blank=True, max_length=32, verbose_name='class')),
                ('similarity', models.FloatField(default=0.0, verbose_name='similarity')),
                ('matched_chars', models.PositiveIntegerField(default=0, verbose_name='copied characters')),
                ('excerpt', models.TextField(blank=True, verbose_name='passage')),
                ('fault', models.CharField(blank=True, max_length=500, verbose_name='fault')),
                ('found_at', models.DateTimeField(db_index=True, verbose_name='found')),
                ('decided_by', models.CharField(blank=True, max_length=150, verbose_name='decided by')),
                ('decided_at', models.DateTimeField(blank=True, null=True, verbose_name='decided')),
                ('site', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='discovered_from', to='webadmin.site', verbose_name='site')),
                ('work', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='discovered_pages', to='webadmin.work', verbose_name='work')),
                ('query', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='pages', to='webadmin.discoveryquery', verbose_name='query')),
            ],
            options={
                'verbose_name': 'found page',
                'verbose_name_plural': 'found pages',
                'ordering': ['-found_at', '-pk'],
            },
        ),
        migrations.AddConstraint(
            model_name='discoveryquery',
            constraint=models.UniqueConstraint(fields=('work', 'sentence'), name='one_query_a_sentence'),
        ),
        migrations.AddConstraint(
            model_name='discoveredpage',
            constraint=models.UniqueConstraint(fields=('work', 'url_digest'), name='one_discovery_a_page'),
        ),
    ]
