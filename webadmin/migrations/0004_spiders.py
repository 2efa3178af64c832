from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('webadmin', '0003_matches_by_text'),
    ]

    operations = []
