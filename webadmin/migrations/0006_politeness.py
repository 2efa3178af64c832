import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def _note_switches(apps, schema_editor):
    """Sites that do not obey robots.txt already: nobody knows any more who switched it off."""
    reason = "switched off before switches were written down"
    switch = apps.get_model("webadmin", "RobotsSwitch")
    for site in apps.get_model("webadmin", "Site").objects.filter(obey_robots=False):
        switch.objects.create(site=site, obeys=False, reason=reason)


class Migration(migrations.Migration):

    dependencies = [
        ('webadmin', '0005_revisits'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='crawlrun',
            name='resume_at',
            field=models.DateTimeField(blank=True, null=True, verbose_name='goes on at'),
        ),
        migrations.CreateModel(
            name='RobotsSwitch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('obeys', models.BooleanField(verbose_name='obey robots.txt')),
                ('reason', models.CharField(max_length=500, verbose_name='reason')),
                ('switched_at', models.DateTimeField(auto_now_add=True, verbose_name='when')),
                ('site', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='robots_switches', to='webadmin.site', verbose_name='site')),
                ('switched_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL, verbose_name='by')),
            ],
            options={
                'verbose_name': 'switch of robots.txt',
                'verbose_name_plural': 'switches of robots.txt',
                'ordering': ['-switched_at', '-pk'],
            },
        ),
        migrations.CreateModel(
            name='SiteBanRule',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=60, verbose_name='name')),
                ('statuses', models.CharField(blank=True, help_text='Like 403, commas between several.', max_length=60, verbose_name='HTTP status')),
                ('words', models.TextField(blank=True, help_text='One a line.', verbose_name='one of these words')),
                ('selector', models.CharField(blank=True, max_length=200, verbose_name='element (CSS or XPath)')),
                ('redirect', models.CharField(blank=True, help_text='A regular expression on the address.', max_length=300, verbose_name='redirects to')),
                ('max_chars', models.PositiveIntegerField(default=0, help_text='0: any.', validators=[django.core.validators.MaxValueValidator(100000)], verbose_name='characters at most')),
                ('action', models.CharField(choices=[('slow', 'wait and go on more slowly'), ('rotate', 'change proxy and user agent'), ('login', 'log in again'), ('stop', 'end the crawl')], default='slow', max_length=8, verbose_name='then')),
                ('site', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='ban_rules', to='webadmin.site', verbose_name='site')),
            ],
            options={
                'verbose_name': 'rule for refusals',
                'verbose_name_plural': 'rules for refusals',
                'ordering': ['site', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='SiteRules',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('windows', models.CharField(blank=True, help_text="Hours of the site's day, like 01:00-06:00, commas between several. Empty: at any time.", max_length=300, verbose_name='crawl only at')),
                ('zone', models.CharField(blank=True, help_text='Like Asia/Shanghai. Empty: yours.', max_length=60, verbose_name='time zone of the site')),
                ('megabytes_a_run', models.PositiveIntegerField(default=0, help_text='0: no limit.', verbose_name='MB of one crawl')),
                ('pages_a_day', models.PositiveIntegerField(default=0, help_text='0: no limit.', verbose_name='pages a day')),
                ('megabytes_a_day', models.PositiveIntegerField(default=0, help_text='0: no limit.', verbose_name='MB a day')),
                ('browser', models.CharField(choices=[('never', 'never'), ('auto', 'pages that scripts make'), ('always', 'all pages')], default='never', max_length=8, verbose_name='load in a browser')),
                ('user_agents', models.TextField(blank=True, help_text='One a line. Empty: that of the installation.', verbose_name='user agents')),
                ('login_steps', models.TextField(blank=True, verbose_name='login')),
                ('sealed_values', models.TextField(blank=True, editable=False)),
                ('sealed_cookies', models.TextField(blank=True, editable=False)),
                ('site', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='rules', to='webadmin.site', verbose_name='site')),
            ],
            options={
                'verbose_name': 'treatment',
                'verbose_name_plural': 'treatment',
            },
        ),
        migrations.CreateModel(
            name='SiteProxy',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('scheme', models.CharField(choices=[('http', 'http'), ('https', 'https')], default='http', max_length=8, verbose_name='spoken to by')),
                ('place', models.CharField(max_length=260, verbose_name='host:port')),
                ('user', models.CharField(blank=True, max_length=200, verbose_name='user')),
                ('sealed_password', models.TextField(blank=True, editable=False)),
                ('is_enabled', models.BooleanField(default=True, verbose_name='used')),
                ('successes', models.PositiveBigIntegerField(default=0, editable=False, verbose_name='successes')),
                ('failures', models.PositiveBigIntegerField(default=0, editable=False, verbose_name='failures')),
                ('cools_until', models.DateTimeField(editable=False, null=True, verbose_name='rests until')),
                ('site', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='proxies', to='webadmin.site', verbose_name='site')),
            ],
            options={
                'verbose_name': 'proxy',
                'verbose_name_plural': 'proxies',
                'ordering': ['site', 'pk'],
                'constraints': [models.UniqueConstraint(fields=('site', 'place'), name='one_proxy_a_place')],
            },
        ),
        migrations.RunPython(_note_switches, migrations.RunPython.noop),
    ]
