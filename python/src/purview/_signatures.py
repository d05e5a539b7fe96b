"""Signatures of the functions of the extension module for `inspect`, from the text that nanobind keeps of them."""

import ast
import gc
import inspect
import re

from purview import _core


def _signature_of(function):
    """The first signature of a function. AttributeError where there is no text of one, as `inspect` asks for attributes."""
    try:
        text, _, defaults = function.__nb_signature__[0]
        text = re.sub(r"\\(\d+)", r"_[\1]", text.strip())  # where the value of a default goes
        code = ast.parse(text.rstrip(":") + ": ...").body[0]
    except (AttributeError, IndexError, SyntaxError, TypeError, ValueError):
        raise AttributeError("__signature__") from None

    def parameter(argument, kind, default=None):
        annotation = inspect.Parameter.empty if argument.annotation is None else ast.unparse(argument.annotation)
        value = inspect.Parameter.empty
        if default is not None:
            value = eval(compile(ast.Expression(default), "signature", "eval"), {"_": defaults or ()})
        return inspect.Parameter(argument.arg, kind, default=value, annotation=annotation)

    Parameter, given = inspect.Parameter, code.args
    by_place = [(a, Parameter.POSITIONAL_ONLY) for a in given.posonlyargs] + [(a, Parameter.POSITIONAL_OR_KEYWORD) for a in given.args]
    missing = [None] * (len(by_place) - len(given.defaults))
    parameters = [parameter(a, kind, d) for (a, kind), d in zip(by_place, missing + given.defaults)]
    if given.vararg:
        parameters.append(parameter(given.vararg, Parameter.VAR_POSITIONAL))
    parameters += [parameter(a, Parameter.KEYWORD_ONLY, d) for a, d in zip(given.kwonlyargs, given.kw_defaults)]
    if given.kwarg:
        parameters.append(parameter(given.kwarg, Parameter.VAR_KEYWORD))
    result = inspect.Signature.empty if code.returns is None else ast.unparse(code.returns)
    return inspect.Signature(parameters, return_annotation=result)


def _signature_of_bound(method):
    signature = _signature_of(method)
    return signature.replace(parameters=list(signature.parameters.values())[1:])


def add_signatures():
    """Gives nanobind's types of functions, which no attribute can be set of, a `__signature__`."""
    kinds = {type(_core.asarray): _signature_of, type(_core.Array.astype): _signature_of, type(_core.asarray(0).astype): _signature_of_bound}
    for kind, signature_of in kinds.items():
        for attributes in gc.get_referents(kind.__dict__):
            if type(attributes) is dict and "__signature__" not in attributes:
                attributes["__signature__"] = property(signature_of)
        _core._type_changed(kind)
