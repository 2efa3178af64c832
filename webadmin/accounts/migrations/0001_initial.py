import django.contrib.auth.models
import django.contrib.auth.validators
import django.db.models.deletion
import django.utils.timezone
import webadmin.accounts.models.time_zones
import webadmin.tables_at_once
import webadmin.ui.models.fields
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        webadmin.tables_at_once.CreateModels(
            models=[
                migrations.CreateModel(
                    name='User',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('password', models.CharField(max_length=128, verbose_name='password')),
                        ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                        ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                        ('username', models.CharField(error_messages={'unique': 'A user with that username already exists.'}, help_text='Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.', max_length=150, unique=True, validators=[django.contrib.auth.validators.UnicodeUsernameValidator()], verbose_name='username')),
                        ('first_name', models.CharField(blank=True, max_length=150, verbose_name='first name')),
                        ('last_name', models.CharField(blank=True, max_length=150, verbose_name='last name')),
                        ('email', models.EmailField(blank=True, max_length=254, verbose_name='email address')),
                        ('is_staff', models.BooleanField(default=False, help_text='Designates whether the user can log into this admin site.', verbose_name='staff status')),
                        ('is_active', models.BooleanField(default=True, help_text='Designates whether this user should be treated as active. Unselect this instead of deleting accounts.', verbose_name='active')),
                        ('date_joined', models.DateTimeField(default=django.utils.timezone.now, verbose_name='date joined')),
                        ('zone', models.CharField(blank=True, editable=False, max_length=64, validators=[webadmin.accounts.models.time_zones.require_zone], verbose_name='time zone')),
                        ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                        ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
                    ],
                    options={
                        'verbose_name': 'user',
                        'verbose_name_plural': 'users',
                        'abstract': False,
                    },
                    managers=[
                        ('objects', django.contrib.auth.models.UserManager()),
                    ],
                ),
                migrations.CreateModel(
                    name='FailedMessage',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('task', models.CharField(max_length=100, verbose_name='task')),
                        ('subject', models.CharField(max_length=64, verbose_name='subject')),
                        ('error', webadmin.ui.models.fields.MessageField(verbose_name='error')),
                        ('failed_at', models.DateTimeField(verbose_name='failed')),
                    ],
                    options={
                        'verbose_name': 'failed message',
                        'verbose_name_plural': 'failed messages',
                        'ordering': ['-failed_at', '-pk'],
                        'constraints': [models.UniqueConstraint(fields=('task', 'subject'), name='one_failure_a_message')],
                    },
                ),
                migrations.CreateModel(
                    name='RightsHolder',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('name', models.CharField(max_length=200, unique=True, verbose_name='name')),
                        ('contact', models.CharField(blank=True, max_length=300, verbose_name='contact')),
                        ('opens_teasers', models.BooleanField(default=False, help_text="Whether text that appears only in teasers of other pages or in the site's frame opens a case. Takes effect from the next comparison of a page.", verbose_name='teasers open cases')),
                        ('reworded_kinds', models.JSONField(blank=True, default=list, help_text='The kinds of works for which the product searches for pages that express the same content in other words or another language. Results are suspected rewrites, never cases.', verbose_name='searched for rewrites')),
                        ('created_at', models.DateTimeField(auto_now_add=True, verbose_name='created')),
                        ('unruled_since', models.DateTimeField(blank=True, editable=False, null=True, verbose_name='findings awaiting a new ruling since')),
                        ('unruled_by', models.ForeignKey(blank=True, editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'verbose_name': 'rights holder',
                        'verbose_name_plural': 'rights holders',
                        'ordering': ['name'],
                    },
                ),
                migrations.CreateModel(
                    name='Membership',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('role', models.CharField(choices=[('reviewer', 'reviewer'), ('manager', 'manager')], default='reviewer', max_length=16, verbose_name='role')),
                        ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to=settings.AUTH_USER_MODEL, verbose_name='user')),
                        ('rights_holder', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to='accounts.rightsholder', verbose_name='rights holder')),
                    ],
                    options={
                        'verbose_name': 'membership',
                        'verbose_name_plural': 'memberships',
                        'constraints': [models.UniqueConstraint(fields=('user', 'rights_holder'), name='one_role_a_holder')],
                    },
                ),
            ],
        ),
    ]
