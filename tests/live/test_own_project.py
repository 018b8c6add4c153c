"""The examples, as a team would have them: from the command line, and in a suite."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from atleastonce.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from atleastonce.services.embedded import Embedded

pytestmark = pytest.mark.live
ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/your-own-project.md").read_text()
SHOPLESS = (
    *("--app", "shopless.celery:app", "--args", "[1]"),
    *("--setup", "shopless.checks:start", "--world", "shopless.checks:world"),
)
WEBSHOP = (
    *("--app", "webshop.celery:app", "--args", "[1]"),
    *("--setup", "webshop.checks:start", "--world", "webshop.checks:world"),
)
NAMES = {"NAME": "db", "HOST": "host", "PORT": "port", "USER": "user"}
VARIABLES = [
    "SHOP_BROKER={redis}",
    "SHOP_DB_PASSWORD={postgres_password}",
    *(f"SHOP_DB_{ours}={{postgres_{theirs}}}" for ours, theirs in NAMES.items()),
]
slow = partial(pytest.param, marks=pytest.mark.slow)
WEBSHOP_ENV = [word for line in VARIABLES for word in ("--env", line)]


def start(folder: Path, *words: str) -> subprocess.Popen[str]:
    """``python -m <words>`` in *folder*, as at a terminal of its own."""
    # Tests of this process may have chosen the shop's Django: no project's own does.
    own = {k: v for k, v in os.environ.items() if not k.startswith("DJANGO_")}
    return subprocess.Popen(
        [sys.executable, "-m", *words],
        cwd=folder,
        env=own,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def run(folder: Path, *words: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr, each line unwrapped."""
    process = start(folder, *words)
    out, err = process.communicate(timeout=300)
    return process.returncode, out, " ".join(err.split())


def sweep(folder: Path, *words: str) -> tuple[int, str, str]:
    return run(folder, "atleastonce", "sweep", *words, "--timeout", "90")


@pytest.fixture
def shopless(tmp_path: Path) -> Path:
    return Path(shutil.copytree(ROOT / "examples/shopless", tmp_path / "shopless"))


@pytest.fixture
def webshop(tmp_path: Path) -> Path:
    return Path(shutil.copytree(ROOT / "examples/webshop", tmp_path / "webshop"))


@pytest.fixture
def production(embedded: Embedded) -> Iterator[Embedded]:
    """Services that belong to somebody: whatever a sweep does, nothing reaches them."""
    redis = embedded.redis.client()

    def seen() -> tuple[object, object]:
        tables = "SELECT count(*), sum(n_tup_ins) FROM pg_stat_user_tables"
        connections: Any = redis.info("stats")
        received = connections["total_connections_received"]
        return received, embedded.postgres.rows(tables)

    before = seen()
    yield embedded
    assert seen() == before


def files(folder: Path) -> set[Path]:
    return set(folder.rglob("*"))


def test_a_task_that_looks_first_is_found_out(shopless: Path) -> None:
    before = files(shopless)
    code, out, err = sweep(
        shopless, "shopless.tasks:charge", *SHOPLESS, "--html", "sweep.html"
    )
    assert code == 1, err
    assert "COMMIT: done" in out
    assert "duplicate  charges 2, not 1" in out
    assert out in PAGE, out  # the page shows what was just seen
    assert "DATABASE_URL" in err
    page = (shopless / "sweep.html").read_text()
    assert "duplicate" in page
    assert page.startswith("<!doctype html>")
    assert files(shopless) - before == {shopless / "sweep.html"}


def test_a_task_with_one_commit_survives(shopless: Path) -> None:
    code, out, err = sweep(
        shopless, "shopless.tasks:charge_once", *SHOPLESS, "--kill=worker", "--json"
    )
    assert code == 0, err
    found = json.loads(out)
    assert found["verdict"] == "pass"
    assert found["outcomes"] == {"ok": len(found["rows"])}
    assert found["expected"] == {"charges": 1, "orders paid": 1}


def test_the_page_names_commands_that_are_run_here() -> None:
    assert " ".join(SHOPLESS).replace("[1]", "'[1]'") in " ".join(
        PAGE.replace("\\\n", " ").split()
    )


def test_a_suite_has_the_fixtures_and_shows_the_table_of_a_failure(
    shopless: Path,
) -> None:
    tests = shopless / "tests/test_tasks.py"
    naive = tests.read_text().replace("tasks.charge_once, 1", "tasks.charge, 1")
    tests.with_name("test_naive.py").write_text(naive)
    code, out, _ = run(shopless, "pytest", "-q", "-p", "no:cacheprovider", "--color=no")
    assert code == 1, out
    assert "1 failed, 3 passed" in out
    assert re.search(r"COMMIT: done +duplicate", out)


def test_a_django_project_with_names_of_its_own(webshop: Path) -> None:
    code, out, err = sweep(
        webshop, "webshop.orders.tasks:tell", *WEBSHOP, *WEBSHOP_ENV, "--json"
    )
    assert code == 1, err
    found = json.loads(out)  # what the set-up prints is not in it
    assert "one order, on stdout" in err
    assert {row["evidence"] for row in found["rows"]} == {"", "mails 2, not 1"}


def test_a_django_projects_suite(webshop: Path) -> None:
    code, out, _ = run(webshop, "pytest", "-q", "-p", "no:cacheprovider")
    assert code == 0, out


#: What is wrong, and what is then said: words of each of its lines.
WRONG = {
    "module": (["shopless.taks:charge", *SHOPLESS], "no module 'shopless.taks' here"),
    "name": (
        ["shopless.tasks:chrge", *SHOPLESS],
        "has no 'chrge'. Last seen: it has connect, charge, charge_once Try: shopless",
    ),
    "no task": (
        ["shopless.tasks:connect", *SHOPLESS],
        "and no Celery task. Last seen: tasks of shopless.celery:app: shopless.tasks.",
    ),
    "app": (
        ["shopless.tasks:charge", *SHOPLESS, "--app", "shopless.celery:apq"],
        "Last seen: apps in shopless.celery: app Try: --app shopless.celery:app",
    ),
    "world": (
        ["shopless.tasks:charge", *SHOPLESS, "--world", "shopless.checks:tables"],
        "The project raised psycopg.errors.DuplicateTable",
    ),
    "world is no dict": (
        ["shopless.tasks:charge", *SHOPLESS, "--world", "os:getpid"],
        "world() must return a dict",
    ),
    "world is no function": (
        ["shopless.tasks:charge", *SHOPLESS, "--world", "shopless.checks:WORLD"],
        "and no function",
    ),
    "arguments": (
        ["shopless.tasks:charge", *SHOPLESS, "--args", "{1}"],
        "--args must be an array in JSON. Last seen: {1}",
    ),
    "no such order": (
        ["shopless.tasks:charge", *SHOPLESS, "--args", "[7]"],
        "Without any fault the target fails: FAILURE TypeError.",
    ),
    "variable": (
        ["shopless.tasks:charge", *SHOPLESS, "--env", "X={rediss}"],
        "There is no {rediss}",
    ),
    "setting": (
        ["shopless.tasks:charge", *SHOPLESS, "--setting", "task_ack_late=true"],
        "Celery has no setting 'task_ack_late'. Try: --setting task_acks_late",
    ),
    "page": (
        ["shopless.tasks:charge", *SHOPLESS, "--html", "no/such/page.html"],
        "--html no/such/page.html: its folder is not there. Try: mkdir -p no/such",
    ),
    "usage": (["shopless.tasks:charge", *SHOPLESS, "--kill", "queen"], "'queen'"),
}
#: Each starts services, and is found out as one that is not in here.
LIKE_OTHERS = {"name", "no task", "app", "world", "world is no function", "setting"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (slow if case in LIKE_OTHERS else pytest.param)(*how, id=case)
        for case, how in WRONG.items()
    ],
)
def test_what_is_wrong_is_said_in_the_projects_terms(
    shopless: Path, words: list[str], said: str
) -> None:
    code, out, err = sweep(shopless, *words)
    assert (code, out) == (2, "")
    assert said in err, err
    assert "Traceback" not in err.partition("Last seen")[0]
    assert "Try" in err


def test_a_machine_without_redis_is_told_apart_from_a_failure(
    shopless: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATLEASTONCE_REDIS_SERVER", "/nowhere/redis-server")
    code, out, err = sweep(shopless, "shopless.tasks:charge", *SHOPLESS)
    assert (code, out) == (2, "")
    assert "Try: unset ATLEASTONCE_REDIS_SERVER" in err


def test_a_world_that_shows_nothing_of_the_work_lets_nothing_pass(
    shopless: Path,
) -> None:
    (shopless / "blind.py").write_text("def world():\n    return {'orders': 1}\n")
    code, out, _ = sweep(
        shopless, "shopless.tasks:charge_once", *SHOPLESS, "--world", "blind:world"
    )
    assert code == 2
    assert "it shows none of it" in out


@pytest.mark.parametrize(
    "end", ["os._exit(0)", slow("os._exit(1)"), slow("raise SystemExit(1)")]
)
def test_a_project_that_ends_its_process_is_not_a_verdict(
    shopless: Path, end: str
) -> None:
    (shopless / "end.py").write_text(f"import os\ndef world():\n    {end}\n")
    code, out, err = sweep(
        shopless, "shopless.tasks:charge", *SHOPLESS, "--world", "end:world"
    )
    assert (code, out) == (2, ""), err


APP = """
import os
{before}
from celery import Celery
app = Celery("elsewhere", {how})
@app.task(acks_late=True, reject_on_worker_lost=True)
def task():
    {body}
"""


def elsewhere(folder: Path, *, before: str = "", how: str = "", body: str = "") -> None:
    text = APP.format(before=before, how=how, body=body or "pass")
    (folder / "elsewhere.py").write_text(text)


ELSEWHERE = (
    *("elsewhere:task", "--app", "elsewhere:app"),
    *("--setup", "shopless.checks:start", "--world", "shopless.checks:world"),
)


@pytest.mark.parametrize("name", ["BROKER", slow("BROKER_WRITE"), slow("BROKER_READ")])
def test_a_project_that_insists_on_its_broker_is_refused(
    shopless: Path, production: Embedded, name: str
) -> None:
    url = production.addresses.redis_url(0)
    # As a .env file does that overrides.
    elsewhere(shopless, before=f'os.environ["CELERY_{name}_URL"] = "{url}"')
    code, out, err = sweep(shopless, *ELSEWHERE)
    assert (code, out) == (2, "")
    place = f"redis://127.0.0.1:{production.redis.port}/0"
    assert f"{place}, which is not the throw-away Redis" in err
    assert production.redis.password not in err
    assert "Try: --env MY_BROKER='{redis}'" in err


def test_a_project_that_insists_on_its_results_is_refused(
    shopless: Path, production: Embedded
) -> None:
    url = production.addresses.redis_url(1)
    elsewhere(
        shopless,
        before=f'os.environ["CELERY_RESULT_BACKEND"] = "{url}"',
        how=f'backend="{url}"',
    )
    code, _, err = sweep(shopless, *ELSEWHERE)
    assert code == 2
    assert "stores results in redis://127.0.0.1" in err


def test_a_broker_that_is_only_written_down_is_overruled(
    shopless: Path, production: Embedded
) -> None:
    url = production.addresses.redis_url(0)
    elsewhere(
        shopless,
        how=f'broker="{url}", backend="{url}"',
        body="from shopless import tasks; tasks.charge_once.run(1)",
    )
    code, _, err = sweep(shopless, *ELSEWHERE)
    assert code == 0, err


@pytest.mark.parametrize(
    "service", ["redis", slow("postgres"), slow("gateway"), "smtp"]
)
def test_a_task_reaches_nothing_but_the_throw_away_services(
    shopless: Path, production: Embedded, service: str
) -> None:
    at = production.addresses
    bodies = {
        "redis": f"import redis; redis.Redis.from_url('{at.redis_url(0)}').incr('n')",
        "postgres": f"import psycopg; psycopg.connect('{at.dsn()}')",
        "gateway": f"import requests; requests.post('{at.gateway_url}/charges')",
        "smtp": f"import smtplib; smtplib.SMTP('127.0.0.1', {at.smtp_port})",
    }
    elsewhere(shopless, body=bodies[service])
    code, out, err = sweep(shopless, *ELSEWHERE)
    assert (code, out) == (2, "")
    assert "Without any fault the target fails: FAILURE ProjectError" in err
    [port] = re.findall(r"or --allow 127\.0\.0\.1:(\d+)", err)
    ports = {
        "redis": at.redis_port,
        "postgres": at.postgres_port,
        "gateway": production.gateway.port,
        "smtp": at.smtp_port,
    }
    assert int(port) == ports[service]


def test_what_is_allowed_can_be_reached(shopless: Path, embedded: Embedded) -> None:
    at = embedded.addresses
    elsewhere(
        shopless,
        body=f"import redis; redis.Redis.from_url('{at.redis_url(0)}').set('n', 1); "
        "from shopless import tasks; tasks.charge_once.run(1)",
    )
    place = f"127.0.0.1:{at.redis_port}"
    code, _, err = sweep(shopless, *ELSEWHERE, "--allow", place)
    assert code == 0, err
    assert embedded.redis.client().get("n") == "1"


def test_a_django_database_that_is_somebodys_is_refused(webshop: Path) -> None:
    code, _, err = sweep(webshop, "webshop.orders.tasks:tell", *WEBSHOP)
    assert code == 2
    assert "Django's database 'default' is postgresql db.example.com:5432" in err
    assert "{postgres_host}" in err


ROUTED = """
import os
from celery import Celery
from kombu import Exchange, Queue
from shopless import tasks
app = Celery("routed", broker=os.environ["MY_BROKER"])
app.conf.update(
    task_acks_late=True,
    task_always_eager=True,
    task_queues=[Queue("pay", Exchange("money", type="topic"), routing_key="pay.#")],
    task_routes={
        "routed.charge": {"queue": "pay", "routing_key": "pay.card"},
        "routed.other": {"queue": "undeclared"},
    },
    broker_transport_options={"global_keyprefix": "prod:"},
    broker_use_ssl={"ssl_cert_reqs": "none"},
)
@app.task
def charge(order_id):
    tasks.charge.run(order_id)
    other.delay()
@app.task
def other():
    pass
"""


def test_queues_exchanges_and_options_of_a_projects_own(
    shopless: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (shopless / "routed.py").write_text(ROUTED)
    for name in ("CELERY_BROKER_URL", "PGHOST", "DATABASE_URL"):
        monkeypatch.setenv(name, "prod.example.com")
    monkeypatch.setenv("PGSSLMODE", "require")
    code, out, err = sweep(
        *(shopless, "routed:charge", *SHOPLESS, "--app", "routed:app"),
        *("--env", "MY_BROKER={redis}", "--kill=worker", "--json"),
        *("--file", "routed.py"),
    )
    assert code == 1, err
    found = json.loads(out)
    assert not found["problems"]
    assert set(found["outcomes"]) == {"ok", "duplicate"}
    assert "LPUSH undeclared" in {row["point"]["text"] for row in found["rows"]}


@pytest.mark.parametrize("moment", ["opening", "sweeping"])
def test_ctrl_c_leaves_nothing_and_says_so(
    shopless: Path, labs_root: Path, moment: str
) -> None:
    process = start(
        shopless, "atleastonce", "sweep", "shopless.tasks:charge", *SHOPLESS
    )
    _await(process, labs_root, moment)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert "Interrupted" in err
    assert not list(labs_root.glob("atleastonce-*"))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_sweep_that_is_killed_leaves_nothing(
    shopless: Path, labs_root: Path, number: int
) -> None:
    """The watch of all live tests looks for what is left."""
    process = start(
        shopless, "atleastonce", "sweep", "shopless.tasks:charge", *SHOPLESS
    )
    _await(process, labs_root, "sweeping")
    os.kill(process.pid, number)
    process.communicate(timeout=60)
    assert process.returncode == -number


def test_a_suite_that_is_interrupted_leaves_nothing(
    shopless: Path, labs_root: Path
) -> None:
    process = start(shopless, "pytest", "-q", "-p", "no:cacheprovider")
    _await(process, labs_root, "sweeping")
    os.killpg(process.pid, signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 2, out
    assert not list(labs_root.glob("atleastonce-*"))


def _await(process: subprocess.Popen[str], root: Path, moment: str) -> None:
    """Wait until the lab of *process* is being opened, or until a task runs there."""
    seen = "atleastonce-*" if moment == "opening" else "atleastonce-*/attempts/*.1"
    wait_until(
        lambda: list(root.glob(seen)) or process.poll() is not None,
        timeout=240,
        what=f"{moment} of a sweep",
    )
    assert process.poll() is None, process.communicate()


def test_a_suite_without_an_app_is_told_what_to_write(shopless: Path) -> None:
    (shopless / "pytest.ini").write_text("[pytest]\npythonpath = .\n")
    code, out, _ = run(shopless, "pytest", "-q", "-p", "no:cacheprovider")
    assert code == 1
    assert "Try: atleastonce_app = myproj.celery:app" in out


def test_a_function_that_another_process_cannot_import_is_told(shopless: Path) -> None:
    (shopless / "tests/test_tasks.py").write_text(
        "from shopless import tasks\n"
        "def test_it(crash_sweep):\n"
        "    crash_sweep(tasks.charge, 1, world=lambda: {})\n"
    )
    code, out, _ = run(shopless, "pytest", "-q", "-p", "no:cacheprovider")
    assert code == 1
    assert "Try: def world(): at the top level of a module" in out
