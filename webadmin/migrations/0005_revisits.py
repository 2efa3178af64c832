import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('webadmin', '0004_spiders'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='pagerecord',
            name='gone_since',
            field=models.DateTimeField(blank=True, null=True, verbose_name='gone since'),
        ),
        migrations.CreateModel(
            name='Address',
            fields=[
                ('id', models.CharField(max_length=40, primary_key=True, serialize=False)),
                ('url', models.TextField(verbose_name='URL')),
                ('depth', models.PositiveSmallIntegerField(default=0, verbose_name='links from the start')),
                ('kind', models.CharField(choices=[('unknown', 'not fetched yet'), ('list', 'list of pages'), ('detail', 'page with a text')], default='unknown', max_length=16, verbose_name='kind')),
                ('rules', models.CharField(blank=True, max_length=16)),
                ('found_at', models.DateTimeField(verbose_name='found')),
                ('seen_at', models.DateTimeField(blank=True, null=True, verbose_name='last seen')),
                ('due_at', models.DateTimeField(verbose_name='due')),
                ('page_id', models.CharField(blank=True, max_length=40, verbose_name='page id')),
                ('page_url', models.TextField(blank=True, verbose_name='URL of the page')),
                ('version_id', models.CharField(blank=True, max_length=40, verbose_name='version')),
                ('text_digest', models.CharField(blank=True, max_length=64, verbose_name="digest of the page's text")),
                ('etag', models.CharField(blank=True, max_length=200)),
                ('last_modified', models.CharField(blank=True, max_length=60)),
                ('unmodified', models.PositiveIntegerField(default=0, verbose_name='answers “not modified” in a row')),
                ('has_lied', models.BooleanField(default=False, verbose_name='said “not modified” and had changed')),
                ('looks', models.FloatField(default=0)),
                ('unchanged_looks', models.FloatField(default=0)),
                ('observed_s', models.FloatField(default=0)),
                ('failures', models.PositiveIntegerField(default=0, verbose_name='failures in a row')),
                ('failed_at', models.DateTimeField(blank=True, null=True, verbose_name='last failure')),
                ('reason', models.CharField(blank=True, max_length=32, verbose_name='reason')),
                ('sentence', models.TextField(blank=True, verbose_name='what was wrong')),
                ('absent_since', models.DateTimeField(blank=True, null=True, verbose_name='not found since')),
                ('gone_since', models.DateTimeField(blank=True, null=True, verbose_name='gone since')),
                ('is_moved', models.BooleanField(default=False)),
                ('site', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='addresses', to='webadmin.site', verbose_name='site')),
            ],
            options={
                'verbose_name': 'address',
                'verbose_name_plural': 'addresses',
                'ordering': ['-failed_at', 'due_at', 'pk'],
                'indexes': [models.Index(fields=['site', 'due_at'], name='address_due'), models.Index(fields=['site', 'text_digest'], name='address_text'), models.Index(fields=['page_id'], name='address_page'), models.Index(condition=models.Q(('failures__gt', 0)), fields=['site', '-failed_at'], name='address_failed')],
            },
        ),
        migrations.CreateModel(
            name='OffSiteRedirect',
            fields=[
                ('id', models.CharField(max_length=40, primary_key=True, serialize=False)),
                ('from_url', models.TextField(verbose_name='from')),
                ('to_url', models.TextField(verbose_name='to')),
                ('from_host', models.CharField(max_length=260, verbose_name='old host')),
                ('to_host', models.CharField(max_length=260, verbose_name='new host')),
                ('status', models.PositiveSmallIntegerField(verbose_name='HTTP status')),
                ('is_start', models.BooleanField(default=False, verbose_name='start page')),
                ('first_at', models.DateTimeField(verbose_name='first seen')),
                ('last_at', models.DateTimeField(verbose_name='last seen')),
                ('site', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='off_site_redirects', to='webadmin.site', verbose_name='site')),
            ],
            options={
                'verbose_name': 'redirect off the site',
                'verbose_name_plural': 'redirects off the site',
                'indexes': [models.Index(fields=['site', 'to_host'], name='redirect_host')],
            },
        ),
        migrations.CreateModel(
            name='SiteMove',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('from_host', models.CharField(max_length=260, verbose_name='old host')),
                ('to_host', models.CharField(max_length=260, verbose_name='new host')),
                ('state', models.CharField(choices=[('proposed', 'proposed'), ('accepted', 'accepted'), ('refused', 'refused')], default='proposed', max_length=16, verbose_name='state')),
                ('evidence', models.JSONField(default=dict, verbose_name='evidence')),
                ('proposed_at', models.DateTimeField(verbose_name='proposed')),
                ('decided_at', models.DateTimeField(blank=True, null=True, verbose_name='decided')),
                ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='decided by')),
                ('other', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='moves_to', to='webadmin.site', verbose_name='watched as')),
                ('site', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='moves', to='webadmin.site', verbose_name='site')),
            ],
            options={
                'verbose_name': 'move of a site',
                'verbose_name_plural': 'moves of sites',
                'ordering': ['-proposed_at', '-pk'],
                'constraints': [models.UniqueConstraint(fields=('site', 'from_host', 'to_host'), name='one_move_a_host')],
            },
        ),
    ]
