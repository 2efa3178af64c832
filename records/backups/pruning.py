"""Old backups taken away, and what no other needs of them."""

from core.ports import ObjectStore
from records.backups.format import OBJECTS, backups_at, load


def keep_newest(destination: ObjectStore, count: int) -> int:
    """Leave the newest backups, and remove the objects that none of them names; how many backups went.

    Raises DamagedBackup where a manifest cannot be read, before anything is removed.
    """
    keys = backups_at(destination)
    old, left = keys[:-count], keys[-count:]
    if not old:
        return 0
    needed = {name for key in left for name in load(destination, key).manifest.objects}
    for key in old:
        destination.remove(key)
    for key in list(destination.keys(OBJECTS)):
        if key.rpartition("/")[2] not in needed:
            destination.remove(key)
    return len(old)
