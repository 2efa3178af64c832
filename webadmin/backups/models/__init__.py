"""The models of backups."""

from webadmin.backups.models.backup import BackupPlan, BackupRun, Installation, StoreCheck
