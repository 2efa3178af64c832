import django.db.models.deletion
import webadmin.tables_at_once
import webadmin.ui.models.phrases
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('accounts', '0001_initial'),
        ('accounts', '__first__'),
    ]

    operations = [
        webadmin.tables_at_once.CreateModels(
            models=[
                migrations.CreateModel(
                    name='PlannedUpload',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('sent_at', models.DateTimeField(verbose_name='sent')),
                        ('works', models.BinaryField(verbose_name='works')),
                        ('rights_holder', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='planned_uploads', to='accounts.rightsholder', verbose_name='rights holder')),
                        ('sent_by', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='planned_uploads', to=settings.AUTH_USER_MODEL, verbose_name='sent by')),
                    ],
                    options={
                        'verbose_name': 'planned upload',
                        'verbose_name_plural': 'planned uploads',
                    },
                ),
                migrations.CreateModel(
                    name='Work',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('title', models.CharField(max_length=300, verbose_name='title')),
                        ('author', models.CharField(blank=True, max_length=200, verbose_name='author')),
                        ('kind', models.CharField(choices=[('novel', 'novel'), ('news', 'news'), ('essay', 'essay'), ('story', 'short story'), ('other', 'other')], default='novel', max_length=16, verbose_name='kind')),
                        ('added_at', models.DateTimeField(auto_now_add=True, verbose_name='added')),
                        ('counted_chars', models.PositiveIntegerField(default=0, editable=False, verbose_name='counted characters')),
                        ('rights_holder', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='works', to='accounts.rightsholder', verbose_name='rights holder')),
                    ],
                    options={
                        'verbose_name': 'work',
                        'verbose_name_plural': 'works',
                        'ordering': ['title', 'pk'],
                        'constraints': [models.UniqueConstraint(fields=('rights_holder', 'title', 'author'), name='one_work_a_title_and_author')],
                    },
                ),
                migrations.CreateModel(
                    name='Unprotected',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('entered_at', models.DateTimeField(auto_now=True, verbose_name='entered')),
                        ('reason', models.CharField(choices=webadmin.ui.models.phrases.unprotected_choices, help_text="Copyright Law of China: official texts and mere facts, article 5; term of protection, article 23: the author's life and 50 years, until 31 December of the 50th.", max_length=32, verbose_name='reason')),
                        ('note', models.CharField(blank=True, help_text='Required if no other reason applies.', max_length=300, verbose_name='in a sentence')),
                        ('entered_by', models.ForeignKey(blank=True, editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='entered by')),
                        ('work', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='unprotected', to='works.work', verbose_name='work')),
                    ],
                    options={
                        'verbose_name': 'work not protected',
                        'verbose_name_plural': 'works not protected',
                    },
                ),
                migrations.CreateModel(
                    name='LicenceFee',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('per_thousand', models.DecimalField(decimal_places=2, max_digits=10, verbose_name='CNY per thousand characters')),
                        ('source', models.CharField(max_length=500, verbose_name='source of the fee')),
                        ('entered_at', models.DateTimeField(verbose_name='entered')),
                        ('entered_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='entered by')),
                        ('work', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='fees', to='works.work', verbose_name='work')),
                    ],
                    options={
                        'verbose_name': 'licence fee',
                        'verbose_name_plural': 'licence fees',
                        'ordering': ['-entered_at', '-pk'],
                        'constraints': [models.CheckConstraint(condition=models.Q(('per_thousand__gt', 0)), name='licence_fee_is_above_nothing')],
                    },
                ),
                migrations.CreateModel(
                    name='Licence',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('entered_at', models.DateTimeField(auto_now=True, verbose_name='entered')),
                        ('chapters', models.CharField(blank=True, help_text='Chapter numbers, such as 1-20, 25. Leave empty for all chapters.', max_length=500, verbose_name='chapters')),
                        ('licensee', models.CharField(max_length=200, verbose_name='licensee')),
                        ('domain', models.CharField(help_text='Host of the licensed site, with its port if any; includes subdomains.', max_length=253, verbose_name='domain')),
                        ('address', models.CharField(blank=True, help_text='Only this page and everything below it. Leave empty for the whole domain.', max_length=2000, verbose_name='URL of the page')),
                        ('number', models.CharField(blank=True, max_length=100, verbose_name='contract number')),
                        ('valid_from', models.DateField(verbose_name='valid from')),
                        ('valid_until', models.DateField(blank=True, help_text='Last day (inclusive). Leave empty for no end date.', null=True, verbose_name='valid until')),
                        ('entered_by', models.ForeignKey(blank=True, editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='entered by')),
                        ('rights_holder', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='licences', to='accounts.rightsholder', verbose_name='rights holder')),
                        ('work', models.ForeignKey(blank=True, help_text='Leave empty for all works of the rights holder.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='licences', to='works.work', verbose_name='work')),
                    ],
                    options={
                        'verbose_name': 'licence',
                        'verbose_name_plural': 'licences',
                        'ordering': ['licensee', 'pk'],
                        'constraints': [models.CheckConstraint(condition=models.Q(('valid_until__isnull', True), ('valid_until__gte', models.F('valid_from')), _connector='OR'), name='licence_ends_after_it_begins', violation_error_message='The licence ends before it begins.')],
                    },
                ),
                migrations.CreateModel(
                    name='Chapter',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('number', models.PositiveIntegerField(verbose_name='number')),
                        ('title', models.CharField(blank=True, max_length=300, verbose_name='title')),
                        ('text_id', models.CharField(db_index=True, max_length=40, verbose_name='text id')),
                        ('chars', models.PositiveIntegerField(verbose_name='characters')),
                        ('added_at', models.DateTimeField(auto_now_add=True, verbose_name='added')),
                        ('indexed_at', models.DateTimeField(blank=True, db_index=True, null=True, verbose_name='indexed')),
                        ('reworded_at', models.DateTimeField(blank=True, editable=False, null=True)),
                        ('published_at', models.DateTimeField(blank=True, null=True, verbose_name='officially published')),
                        ('work', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='chapters', to='works.work', verbose_name='work')),
                    ],
                    options={
                        'verbose_name': 'chapter',
                        'verbose_name_plural': 'chapters',
                        'ordering': ['work', 'number'],
                        'indexes': [models.Index(fields=['work', 'reworded_at'], name='works_chapt_work_id_40acfa_idx')],
                        'constraints': [models.UniqueConstraint(fields=('work', 'number'), name='one_chapter_a_number')],
                    },
                ),
                migrations.CreateModel(
                    name='AuthorAlias',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('author', models.CharField(help_text='As given on the works.', max_length=200, verbose_name='author')),
                        ('alias', models.CharField(max_length=200, verbose_name='pen name')),
                        ('rights_holder', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='author_aliases', to='accounts.rightsholder', verbose_name='rights holder')),
                    ],
                    options={
                        'verbose_name': 'pen name',
                        'verbose_name_plural': 'pen names',
                        'ordering': ['author', 'alias'],
                        'constraints': [models.UniqueConstraint(fields=('rights_holder', 'author', 'alias'), name='one_alias')],
                    },
                ),
                migrations.CreateModel(
                    name='LicenceProof',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('name', models.CharField(max_length=200, verbose_name='file')),
                        ('digest', models.CharField(max_length=64, verbose_name='SHA-256')),
                        ('size', models.PositiveIntegerField(verbose_name='bytes')),
                        ('kind', models.CharField(max_length=8)),
                        ('added_at', models.DateTimeField(auto_now_add=True, verbose_name='entered')),
                        ('added_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='entered by')),
                        ('licence', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='proofs', to='works.licence', verbose_name='licence')),
                    ],
                    options={
                        'verbose_name': 'licence proof',
                        'verbose_name_plural': 'licence proofs',
                        'ordering': ['-added_at', '-pk'],
                        'constraints': [models.UniqueConstraint(fields=('licence', 'digest'), name='one_proof_a_file')],
                    },
                ),
                migrations.CreateModel(
                    name='OwnAccount',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('entered_at', models.DateTimeField(auto_now=True, verbose_name='entered')),
                        ('platform', models.CharField(help_text='The common name, such as 知乎.', max_length=100, verbose_name='platform')),
                        ('address', models.CharField(blank=True, help_text="Pages at this URL and below it belong to the account.", max_length=500, verbose_name='URL of the account')),
                        ('domain', models.CharField(blank=True, max_length=253, verbose_name='domain')),
                        ('name', models.CharField(blank=True, help_text='Pages of the domain that name it as their author. Only for platforms whose pages name the poster and where account names are unique.', max_length=100, verbose_name='name of the account')),
                        ('entered_by', models.ForeignKey(blank=True, editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='entered by')),
                        ('rights_holder', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='own_accounts', to='accounts.rightsholder', verbose_name='rights holder')),
                    ],
                    options={
                        'verbose_name': 'own account',
                        'verbose_name_plural': 'own accounts',
                        'ordering': ['platform', 'pk'],
                        'constraints': [models.UniqueConstraint(fields=('rights_holder', 'address', 'domain', 'name'), name='one_own_account', violation_error_message='This account has already been entered.'), models.CheckConstraint(condition=models.Q(models.Q(('domain', ''), ('name', ''), models.Q(('address', ''), _negated=True)), models.Q(('address', ''), models.Q(('domain', ''), _negated=True), models.Q(('name', ''), _negated=True)), _connector='OR'), name='account_by_address_or_name', violation_error_message='Enter the URL of the account, or its domain and its name.')],
                    },
                ),
                migrations.CreateModel(
                    name='OwnDomain',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('entered_at', models.DateTimeField(auto_now=True, verbose_name='entered')),
                        ('domain', models.CharField(max_length=253, verbose_name='domain')),
                        ('entered_by', models.ForeignKey(blank=True, editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='entered by')),
                        ('rights_holder', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='own_domains', to='accounts.rightsholder', verbose_name='rights holder')),
                    ],
                    options={
                        'verbose_name': 'own domain',
                        'verbose_name_plural': 'own domains',
                        'constraints': [models.UniqueConstraint(fields=('rights_holder', 'domain'), name='one_own_domain')],
                    },
                ),
            ],
        ),
    ]
