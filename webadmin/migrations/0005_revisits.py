from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('webadmin', '0004_spiders'),
    ]

    operations = []
