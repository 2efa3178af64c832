"""The doctor's checks of the home folder: its settings files, permissions, free space and database files."""

from pathlib import Path

from core import disk
from core.known_settings import format_value, known_settings, mask_secrets, nearest_name, unknown_names
from core.settings_layers import file_layers, planned_layers
from core.settings_loading import read_leniently
from core.sqlite_files import find_faults
from core.wording import Message
from deploy.findings import Context, DoctorFinding
from deploy.home import FOLDERS


def check_setting_names(context: Context) -> list[DoctorFinding]:
    """Find unknown names of settings in the environment and in the settings files; most of them are misspelt."""
    of_variables = [
        (name, Message("start.unknown-variable", name=name), near, Message("doctor.unset"))
        for name, near in unknown_names(context.environ).items()
    ]
    of_files = [
        (
            name,
            Message("start.unknown-in-file", name=name, place=layer.place),
            nearest_name(name),
            Message("doctor.remove"),
        )
        for layer in file_layers(context.home.path)
        for name in layer.unknown
    ]
    return [
        DoctorFinding(
            f"settings.unknown.{name}",
            problem,
            Message("doctor.write-near", near=near, away=away) if near else Message("doctor.see-settings", away=away),
        )
        for name, problem, near, away in (*of_variables, *of_files)
    ]


def check_planned_settings(context: Context) -> list[DoctorFinding]:
    """Find settings with which the next `zhuiwen up` would fail; running processes are not affected."""
    _settings, faults = read_leniently(planned_layers(context.environ))
    return [DoctorFinding("settings.faulty", fault, Message("doctor.set-or-unset")) for fault in faults]


def check_secret_places(context: Context) -> list[DoctorFinding]:
    """Find secrets in the settings file that is not meant for them."""
    secret_file, open_file = file_layers(context.home.path)
    return [
        DoctorFinding(
            f"settings.secret.{name}",
            Message("doctor.secret", name=name, place=open_file.place),
            Message("doctor.secret-remedy", name=name),
        )
        for name, value in open_file.values.items()
        if known_settings()[name].declaration.is_secret
        and name not in secret_file.values
        and mask_secrets(name, format_value(value)) != format_value(value)
    ]


def check_home_permissions(context: Context) -> list[DoctorFinding]:
    """Check that other users can neither enter the home folder nor read its files."""
    home = context.home.path
    if home.stat().st_mode & 0o077:
        problem, remedy = Message("doctor.home-open", home=home), Message("doctor.home-remedy", home=home)
        return [DoctorFinding("home.permissions", problem, remedy)]
    opened = [path for path in _private_paths(home) if path.lstat().st_mode & 0o077 and not path.is_symlink()]
    if not opened:
        return []
    problem = Message("doctor.file-open", path=opened[0])
    if opened[1:]:
        problem = Message("doctor.files-open", path=opened[0], count=len(opened) - 1)
    return [DoctorFinding("home.files", problem, Message("doctor.files-remedy", home=home))]


def _private_paths(home: Path) -> list[Path]:
    """Return the files and folders that must be private: settings, secrets, databases, logs, run files."""
    files = [path for path in home.iterdir() if path.is_file()]
    folders = [home / name for name in FOLDERS if (home / name).is_dir()]
    return [*files, *folders, *(path for folder in folders for path in folder.rglob("*") if not path.is_socket())]


def check_free_disk(context: Context) -> list[DoctorFinding]:
    found = [
        space
        for space in disk.file_systems(context.home.settings)
        if space.is_full or space.free_bytes < disk.LOW_BYTES
    ]
    return [DoctorFinding("disk.full" if each.is_full else "disk.free", each.problem, each.remedy) for each in found]


def check_database_files(context: Context) -> list[DoctorFinding]:
    """Find damaged SQLite database files."""
    settings = context.home.settings
    paths = [settings.sqlite_path] if not settings.services.database_url else []
    if settings.services.embeds_mongo:
        paths += sorted((settings.home / "mongo").glob("*.db"))
    remedy = Message("start.damaged-remedy")
    return [
        DoctorFinding("stores.file", Message("start.damaged-file", path=path, reason=faults[0]), remedy)
        for path in paths
        if (faults := find_faults(path))
    ]


CHECKS = (
    check_setting_names,
    check_planned_settings,
    check_secret_places,
    check_home_permissions,
    check_free_disk,
    check_database_files,
)
