"""The type stubs: what mypy makes of uses, and whether they tell what the module has."""

import ast
import contextlib
import importlib.util
import inspect
import io
import pathlib
import re
import shutil
import subprocess
import sys
import types

import pytest

import purview as pv

pytest.importorskip("mypy")

# What stubtest need not find in the stubs.
# A variable has all operators of arrays, of which the stubs have the arithmetic. Classes of nanobind have a metaclass, and constructors without parameters where Python makes none of them.
ALLOWED = r"""
purview\.(dask|xarray)
purview\.(Array|Dim|DimArray|IndexExpression|IndexSet|Reducer|StoredArray|Variable|dtype)
purview\.(Array|Dim|DimArray|IndexExpression|IndexSet|Reducer|Variable)\.__(init|new|buffer)__
purview\.Variable\.__\w+__
"""

PACKAGE = pathlib.Path(pv.__file__).parent
UNSIGNED = inspect.signature


@pytest.fixture
def stubs(tmp_path):
    """A folder with the stubs alone: mypy takes no site-packages as a path, and would check the sources beside them."""
    (tmp_path / "stubs" / "purview").mkdir(parents=True)
    for each in PACKAGE.glob("*.pyi"):
        shutil.copy(each, tmp_path / "stubs" / "purview")
    return str(tmp_path / "stubs")


def test_uses(stubs, tmp_path):
    """types_uses.py passes, and of what it marks as wrong nothing does: an ignored error that there is none of is an error."""
    uses = pathlib.Path(__file__).with_name("types_uses.py")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--warn-unused-ignores", "--cache-dir", str(tmp_path), str(uses)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"MYPYPATH": stubs, "PATH": ""},
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_names_of_reductions():
    """Those of the stubs are those that an error lists."""
    stub = (PACKAGE / "__init__.pyi").read_text()
    named = re.search(r"_ReductionName: TypeAlias = Literal\[(.*?)\]", stub, re.DOTALL)[1]
    with pytest.raises(ValueError, match="one of") as error:
        pv.expanding_window([1.0], "nothing")
    listed = re.findall("'(\\w+)'", str(error.value).partition("one of")[2].partition("not '")[0])
    assert re.findall('"(\\w+)"', named) == listed


def signature(function, **options):
    """inspect.signature, of nanobind's functions too."""
    if isinstance(function, types.FunctionType) and "__wrapped__" in vars(function) and hasattr(function.__wrapped__, "__nb_signature__"):
        of_elements = function.__code__.co_kwonlyargcount == 0 and not function.__code__.co_flags & inspect.CO_VARKEYWORDS
        result = signature(function.__wrapped__)
        only = [p.replace(kind=p.POSITIONAL_ONLY) if p.kind == p.POSITIONAL_OR_KEYWORD else p for p in result.parameters.values()]
        first_only = [only[0], *list(result.parameters.values())[1:]]
        return inspect.Signature(only if of_elements else first_only)
    if not hasattr(function, "__nb_signature__"):
        return UNSIGNED(function, **options)
    text, _, defaults = function.__nb_signature__[0]
    parameters, kind = [], inspect.Parameter.POSITIONAL_OR_KEYWORD
    inner = re.match(r"def \w+\((.*)\) -> ", text)[1]
    for part in filter(None, re.sub(r"\[[^]]*\]", "", inner).split(", ")):
        name, _, default = part.partition(" = ")
        name = name.partition(":")[0]
        if name == "*":
            kind = inspect.Parameter.KEYWORD_ONLY
        elif name == "/":
            parameters = [p.replace(kind=inspect.Parameter.POSITIONAL_ONLY) for p in parameters]
        elif name.startswith("*"):
            variable = inspect.Parameter.VAR_KEYWORD if name.startswith("**") else inspect.Parameter.VAR_POSITIONAL
            parameters.append(inspect.Parameter(name.strip("*"), variable))
        else:
            value = defaults[int(default[1:])] if default else inspect.Parameter.empty
            parameters.append(inspect.Parameter(name, kind, default=value))
    return inspect.Signature(parameters)


def written_out(text):
    """The stubs with overloads in place of `name: _Protocol`, of whose parameters stubtest compares nothing."""
    calls = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef) and [ast.unparse(base) for base in node.bases] == ["Protocol"]:
            calls[node.name] = [method for method in node.body if getattr(method, "name", None) == "__call__"]

    def overloads(match):
        defs = []
        for method in calls[match[2]]:
            given = method.args
            del (given.posonlyargs or given.args)[:1]  # self; put back below
            defs.append(f"@overload\ndef {match[1]}({ast.unparse(given)}) -> {ast.unparse(method.returns)}: ...")
            (given.posonlyargs or given.args).insert(0, ast.arg("self"))
        return "\n".join(defs)

    names = "|".join(name for name, methods in calls.items() if methods)
    return re.sub(rf"^(\w+): ({names})$", overloads, text, flags=re.MULTILINE)


def test_stubs_have_names_parameters_and_defaults_of_the_module(monkeypatch, stubs, tmp_path):
    from mypy import stubtest

    stub = pathlib.Path(stubs, "purview", "__init__.pyi")
    stub.write_text(written_out(stub.read_text(encoding="utf-8")), encoding="utf-8")
    assert "sqrt: " not in stub.read_text(encoding="utf-8")
    monkeypatch.setattr(inspect, "signature", signature)
    is_function = stubtest.is_probably_a_function
    monkeypatch.setattr(stubtest, "is_probably_a_function", lambda x: is_function(x) or hasattr(x, "__nb_signature__"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MYPYPATH", stubs)
    (tmp_path / "allowed").write_text(ALLOWED)
    told = io.StringIO()
    with contextlib.redirect_stdout(told), contextlib.redirect_stderr(told):
        code = stubtest.test_stubs(stubtest.parse_options(["purview", "--allowlist", "allowed", "--concise", "--ignore-unused-allowlist"]))
    assert code == 0, told.getvalue()


def public_names():
    return [name for name in dir(pv) if not name.startswith("_") and not inspect.ismodule(getattr(pv, name))]


def test_every_public_name_is_in_the_stubs():
    text = (PACKAGE / "__init__.pyi").read_text(encoding="utf-8")
    listed = set(re.findall(r"^(?:def |class )(\w+)|^(\w+)(?::| =)", text, re.MULTILINE))
    listed = {function or value for function, value in listed}
    assert set(public_names()) <= listed
    assert {name for name in listed if not name.startswith("_")} <= set(dir(pv))


def test_every_public_function_tells_what_it_does():
    for module, name in [*((pv, name) for name in public_names()), *((pv.linalg, name) for name in pv.linalg.__all__), *((pv.fft, name) for name in pv.fft.__all__)]:
        value = getattr(module, name)
        if callable(value):
            text = inspect.getdoc(value) or ""
            words = text.removeprefix(text.partition("\n\n")[0] if text.startswith(f"{name}(x") else "").split()
            assert len(words) > 2 and "arg0" not in text, name


def test_the_package_says_that_it_is_typed():
    assert (PACKAGE / "py.typed").exists()
    assert importlib.util.find_spec("purview.dask") is not None
