import django.core.validators
import webadmin.backups.models.backup
import webadmin.tables_at_once
import webadmin.ui.models.fields
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        webadmin.tables_at_once.CreateModels(
            models=[
                migrations.CreateModel(
                    name='BackupPlan',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('is_on', models.BooleanField(default=False, verbose_name='enabled')),
                        ('destination', models.CharField(blank=True, help_text='A folder, such as /mnt/backup/zhuiwen or file:///…, or s3://BUCKET/PREFIX. Preferably on another machine.', max_length=500, verbose_name='destination')),
                        ('at', models.TimeField(default='04:00', verbose_name='time of day')),
                        ('keep', models.PositiveSmallIntegerField(default=14, help_text='Older ones are removed after each backup.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(1000)], verbose_name='backups kept')),
                        ('warn_days', models.PositiveSmallIntegerField(default=2, help_text='The admin, status and doctor warn when the last backup is older.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(365)], verbose_name='warn after days')),
                        ('passphrase', models.TextField(blank=True, editable=False)),
                    ],
                    options={
                        'verbose_name': 'backup schedule',
                        'verbose_name_plural': 'backup schedule',
                    },
                ),
                migrations.CreateModel(
                    name='Installation',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('key', models.CharField(default=webadmin.backups.models.backup.new_key, editable=False, max_length=32)),
                        ('made_at', models.DateTimeField(auto_now_add=True)),
                    ],
                    options={
                        'verbose_name': 'installation',
                        'verbose_name_plural': 'installations',
                    },
                ),
                migrations.CreateModel(
                    name='StoreCheck',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('started_at', models.DateTimeField(verbose_name='started')),
                        ('ended_at', models.DateTimeField(verbose_name='ended')),
                        ('part', models.PositiveSmallIntegerField(blank=True, null=True, verbose_name='part')),
                        ('items', models.PositiveBigIntegerField(verbose_name='items read')),
                        ('damages', models.JSONField(blank=True, default=list, verbose_name='damages')),
                    ],
                    options={
                        'verbose_name': 'store check',
                        'verbose_name_plural': 'store checks',
                        'ordering': ['-started_at', '-pk'],
                    },
                ),
                migrations.CreateModel(
                    name='BackupRun',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('started_at', models.DateTimeField(verbose_name='started')),
                        ('ended_at', models.DateTimeField(verbose_name='ended')),
                        ('is_scheduled', models.BooleanField(default=False, verbose_name='by schedule')),
                        ('destination', models.CharField(max_length=500, verbose_name='destination')),
                        ('backup_id', models.CharField(blank=True, max_length=40, verbose_name='backup')),
                        ('records', models.PositiveBigIntegerField(default=0, verbose_name='records')),
                        ('size_bytes', models.PositiveBigIntegerField(default=0, verbose_name='size')),
                        ('new_bytes', models.PositiveBigIntegerField(default=0, verbose_name='newly written')),
                        ('has_secrets', models.BooleanField(default=False, verbose_name='with secrets')),
                        ('lacking', models.PositiveIntegerField(default=0, verbose_name='could not be read')),
                        ('fault', webadmin.ui.models.fields.MessageField(blank=True, null=True, verbose_name='fault')),
                        ('warning', webadmin.ui.models.fields.MessageField(blank=True, null=True, verbose_name='warning')),
                    ],
                    options={
                        'verbose_name': 'backup',
                        'verbose_name_plural': 'backups',
                        'ordering': ['-started_at', '-pk'],
                        'indexes': [models.Index(fields=['-started_at'], name='backups_bac_started_3192d0_idx')],
                    },
                ),
            ],
        ),
    ]
