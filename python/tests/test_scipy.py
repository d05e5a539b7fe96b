"""SciPy's functions of our arrays and functions: all of its optimisers, as docs/optimisers.md lists them, and what else calls NumPy's functions inside."""

import pathlib
import re

import numpy as np
import pytest

import purview as pv

optimize = pytest.importorskip("scipy.optimize")

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "optimisers.md"

pytestmark = pytest.mark.filterwarnings("ignore")  # what a method does not use, or how exact it may be

start = pv.asarray([0.5, 0.5])
target = pv.asarray([1.0, 2.0])


def bent(x):
    """The minimum is 0 at (1, 2)."""
    return pv.sum((x - target) ** 2) + (x[0] * x[1] - 2) ** 2


def near(x):
    """The square of the distance to (1, 2): below a constraint the minimum is the nearest point that it leaves."""
    return pv.sum((x - target) ** 2)


def residuals(x):
    """0 at (1, 2) and (-2, -1)."""
    return pv.stack([x[0] ** 2 + x[1] - 3, x[0] - x[1] + 1])


def norm(x):
    return x[0] ** 2 + x[1] ** 2


def decay(x, a, k):
    return a * pv.exp(-k * pv.asarray(x))


def by_decay(x, a, k):
    fall = pv.exp(-k * pv.asarray(x))
    return pv.stack([fall, -a * pv.asarray(x) * fall], axis=1)


def cubic(x):
    return x**3 - 8


def at(x):
    """`cubic` of a number of SciPy's, as an array."""
    return cubic(pv.asarray(x))


value_and_grad = {"fun": pv.value_and_grad(bent), "jac": True}
box = optimize.Bounds(pv.asarray([0.0, 0.0]), pv.asarray([0.9, 3.0]))  # nearest: (0.9, 2)
pairs = [(0, 3), (0, 3)]
line = optimize.LinearConstraint(pv.asarray([[1.0, 1.0]]), pv.asarray([-np.inf]), pv.asarray([2.0]))  # nearest: (0.5, 1.5)
circle = optimize.NonlinearConstraint(pv.compile(norm), -np.inf, pv.asarray(4.0), jac=pv.grad(norm))  # nearest: 2 / sqrt(5) of (1, 2)
xs = pv.linspace(0.0, 1.0, 20)
ys = decay(xs, 2.0, 1.5)

GRADIENTS = "CG BFGS Newton-CG L-BFGS-B TNC SLSQP trust-constr dogleg trust-ncg trust-krylov trust-exact".split()
HESSIANS = "Newton-CG trust-constr dogleg trust-ncg trust-krylov trust-exact".split()
BOUNDED = "Nelder-Mead Powell L-BFGS-B TNC SLSQP trust-constr COBYLA COBYQA".split()
CONSTRAINED = "SLSQP trust-constr COBYLA COBYQA".split()
MINIMIZE = GRADIENTS + "Nelder-Mead Powell COBYLA COBYQA".split()
ROOT = "hybr lm broyden1 broyden2 anderson linearmixing diagbroyden excitingmixing krylov df-sane".split()


def with_gradient(method, function):
    return {"fun": pv.value_and_grad(function), "jac": True} if method in GRADIENTS else {"fun": function}


@pytest.mark.parametrize("method", MINIMIZE)
def test_minimize(method):
    more = {"hess": pv.hessian(bent)} if method in HESSIANS else {}
    begin = pv.asarray([1.5, 1.5]) if method == "dogleg" else start  # it wants a Hessian that is positive definite
    for x0 in (begin, np.asarray(begin), begin.tolist()):
        found = optimize.minimize(x0=x0, method=method, **with_gradient(method, bent), **more)
        np.testing.assert_allclose(found.x, [1, 2], atol=2e-3)
    if method in GRADIENTS:
        plain = optimize.minimize(bent, begin, method=method, jac=pv.grad(bent), **more)
        np.testing.assert_allclose(plain.x, found.x, atol=1e-12)


def test_products_of_hessians():
    for method in ("Newton-CG", "trust-ncg", "trust-krylov", "trust-constr"):
        found = optimize.minimize(x0=start, method=method, hessp=lambda x, p: pv.hessian(bent)(x) @ pv.asarray(p), **value_and_grad)
        np.testing.assert_allclose(found.x, [1, 2], atol=1e-4)
    found = optimize.minimize(x0=start, method="trust-constr", hess=optimize.BFGS(), **value_and_grad)
    np.testing.assert_allclose(found.x, [1, 2], atol=1e-4)


@pytest.mark.parametrize("method", BOUNDED)
def test_bounds(method):
    for bounds in (box, [(0, 0.9), (0, 3)]):
        found = optimize.minimize(x0=start, method=method, bounds=bounds, **with_gradient(method, near))
        np.testing.assert_allclose(found.x, [0.9, 2], atol=1e-3)


@pytest.mark.parametrize("method", CONSTRAINED)
def test_constraints(method):
    as_dict = {"type": "ineq", "fun": lambda x: 4.0 - norm(pv.asarray(x)), "jac": pv.grad(lambda x: 4.0 - norm(x))}
    on_circle = np.array([1, 2]) * 2 / np.sqrt(5)
    for constraint, expected in ((line, [0.5, 1.5]), (circle, on_circle), (as_dict, on_circle)):
        found = optimize.minimize(x0=start, method=method, constraints=[constraint], **with_gradient(method, near))
        np.testing.assert_allclose(found.x, expected, atol=2e-3)


@pytest.mark.parametrize("method", ["trf", "dogbox", "lm"])
def test_least_squares(method):
    for jac in (pv.jacobian(residuals), "2-point"):
        np.testing.assert_allclose(optimize.least_squares(residuals, start, jac=jac, method=method).x, [1, 2], atol=1e-6)
    if method != "lm":
        bounds = (pv.asarray([0.0, 0.0]), pv.asarray([3.0, 3.0]))
        found = optimize.least_squares(residuals, start, jac=pv.jacobian(residuals), method=method, bounds=bounds, loss="soft_l1")
        np.testing.assert_allclose(found.x, [1, 2], atol=1e-6)
    for jac in (None, by_decay):
        found, _ = optimize.curve_fit(decay, xs, ys, p0=pv.asarray([1.0, 1.0]), sigma=pv.ones(20), jac=jac, method=method)
        np.testing.assert_allclose(found, [2, 1.5], atol=1e-6)


@pytest.mark.parametrize("method", ROOT)
def test_root(method):
    jac = {"jac": pv.jacobian(residuals)} if method in ("hybr", "lm") else {}
    found = optimize.root(residuals, start, method=method, **jac).x
    assert min(np.abs(found - [1, 2]).max(), np.abs(found - [-2, -1]).max()) < 1e-4


@pytest.mark.parametrize("method", "bisect brentq brenth ridder toms748 newton halley secant".split())
def test_root_scalar(method):
    where = {"bracket": [0, 5]} if method in ("bisect", "brentq", "brenth", "ridder", "toms748") else {"x0": 3.0, "x1": 4.0}
    slopes = {"fprime": pv.grad(cubic), "fprime2": lambda x: 6 * pv.asarray(x)} if method in ("newton", "halley") else {}
    assert float(optimize.root_scalar(at, method=method, **where, **slopes).root) == pytest.approx(2)
    if not slopes and method != "secant":
        assert float(getattr(optimize, method)(at, 0, 5)) == pytest.approx(2)


@pytest.mark.parametrize("method", ["brent", "golden", "bounded"])
def test_minimize_scalar(method):
    bounds = {"bounds": (pv.asarray(0.0), pv.asarray(5.0))} if method == "bounded" else {}
    assert optimize.minimize_scalar(lambda x: (pv.asarray(x) - 2) ** 2, method=method, **bounds).x == pytest.approx(2)


def minimizer(**more):
    return {"method": "L-BFGS-B", **more}


def fmin(function, **options):
    return lambda: np.atleast_1d(function(bent, start, **options))[:2]


BY_GRAD = {"fprime": pv.grad(bent)}

# Those that one does not choose by `method=`: what is found, and where it lies.
OTHERS = {
    "basinhopping": (lambda: optimize.basinhopping(value_and_grad["fun"], start, niter=3, minimizer_kwargs=minimizer(jac=True), rng=1).x, [1, 2]),
    "differential_evolution": (lambda: optimize.differential_evolution(bent, pairs, rng=1, x0=start).x, [1, 2]),
    "dual_annealing": (lambda: optimize.dual_annealing(bent, pairs, rng=1, maxiter=50, minimizer_kwargs=minimizer(jac=pv.grad(bent))).x, [1, 2]),
    "shgo": (lambda: optimize.shgo(bent, pairs, options={"jac": pv.grad(bent)}).x, [1, 2]),
    "direct": (lambda: optimize.direct(bent, pairs).x, [1, 2]),
    "brute": (lambda: optimize.brute(bent, pairs), [1, 2]),
    "fsolve": (lambda: optimize.fsolve(residuals, start, fprime=pv.jacobian(residuals)), [1, 2]),
    "leastsq": (lambda: optimize.leastsq(residuals, start, Dfun=pv.jacobian(residuals))[0], [1, 2]),
    "newton": (lambda: optimize.newton(at, pv.asarray([3.0, 4.0]), fprime=lambda x: 3 * pv.asarray(x) ** 2), [2, 2]),
    "fixed_point": (lambda: optimize.fixed_point(lambda x: pv.sqrt(pv.asarray(x) + 2), start), [2, 2]),
    # With x + y <= 3 and 0 <= x, y <= 2, the least of -x - 2 y is at (1, 2); with x + y <= 2, of integers, at (0, 2).
    "linprog": (
        lambda: optimize.linprog(pv.asarray([-1.0, -2]), pv.asarray([[1.0, 1]]), pv.asarray([3.0]), bounds=pv.asarray([[0.0, 2], [0, 2]])).x,
        [1, 2],
    ),
    "milp": (
        lambda: optimize.milp(pv.asarray([-1.0, -2]), integrality=pv.asarray([1, 1]), bounds=optimize.Bounds(0, 2), constraints=line).x,
        [0, 2],
    ),
    "nnls": (lambda: optimize.nnls(pv.asarray([[3.0, 1], [1, 2]]), pv.asarray([5.0, 5.0]))[0], [1, 2]),
    "lsq_linear": (lambda: optimize.lsq_linear(pv.asarray([[3.0, 1], [1, 2]]), pv.asarray([5.0, 5.0]), bounds=(0, 9)).x, [1, 2]),
    "linear_sum_assignment": (lambda: optimize.linear_sum_assignment(pv.asarray([[3.0, 1], [1, 2]]))[1], [1, 0]),
    "quadratic_assignment": (lambda: optimize.quadratic_assignment(pv.asarray([[0.0, 1], [1, 0]]), pv.asarray([[0.0, 1], [1, 0]])).fun, 2),
    "isotonic_regression": (lambda: optimize.isotonic_regression(pv.asarray([1.0, 3, 2, 4]), weights=pv.ones(4)).x, [1, 2.5, 2.5, 4]),
    "check_grad": (lambda: optimize.check_grad(bent, pv.grad(bent), start), 0),
    "approx_fprime": (lambda: optimize.approx_fprime(start, bent), [-2.75, -4.75]),
    "line_search": (lambda: optimize.line_search(bent, pv.grad(bent), start, pv.asarray([1.0, 1.0]))[0], 1),
    "fmin": (fmin(optimize.fmin, disp=False), [1, 2]),
    "fmin_powell": (fmin(optimize.fmin_powell, disp=False), [1, 2]),
    "fmin_cg": (fmin(optimize.fmin_cg, disp=False, **BY_GRAD), [1, 2]),
    "fmin_bfgs": (fmin(optimize.fmin_bfgs, disp=False, **BY_GRAD), [1, 2]),
    "fmin_ncg": (fmin(optimize.fmin_ncg, disp=False, **BY_GRAD), [1, 2]),
    "fmin_slsqp": (fmin(optimize.fmin_slsqp, iprint=0, **BY_GRAD), [1, 2]),
    "fmin_l_bfgs_b": (lambda: optimize.fmin_l_bfgs_b(bent, start, **BY_GRAD)[0], [1, 2]),
    "fmin_tnc": (lambda: optimize.fmin_tnc(bent, start, messages=0, **BY_GRAD)[0], [1, 2]),
    "fmin_cobyla": (lambda: optimize.fmin_cobyla(bent, start, [lambda x: norm(pv.asarray(x))]), [1, 2]),
    "elementwise.find_root": (lambda: elementwise().find_root(at, (np.zeros(1), np.full(1, 5.0))).x, [2]),
    "elementwise.find_minimum": (lambda: elementwise().find_minimum(lambda x: (pv.asarray(x) - 2) ** 2, (np.zeros(1), np.ones(1), np.full(1, 5.0))).x, [2]),
}


def elementwise():
    return pytest.importorskip("scipy.optimize.elementwise")


@pytest.mark.parametrize("name", OTHERS)
def test_others(name):
    find, expected = OTHERS[name]
    np.testing.assert_allclose(np.asarray(find()), expected, atol=2e-3)


def test_the_page_lists_what_is_tried():
    text = PAGE.read_text(encoding="utf-8")
    listed = set(re.findall(r"`([\w.-]+)`", "\n".join(line for line in text.splitlines() if line.startswith("|"))))
    methods = {*MINIMIZE, *ROOT, *"trf dogbox lm brent golden bounded bisect brentq brenth ridder toms748 newton halley secant".split()}
    functions = {"minimize", "least_squares", "curve_fit", "root", "root_scalar", "minimize_scalar", *OTHERS}
    assert methods | functions <= listed
    # What SciPy has beside them: problems for solvers to solve, classes, and the methods of `root` and `minimize_scalar` by themselves.
    rest = set("rosen rosen_der rosen_hess rosen_hess_prod linprog_verbose_callback show_options bracket golden brent fminbound".split())
    of_root = {*ROOT, *"broyden1 broyden2 newton_krylov brentq brenth ridder bisect toms748 BFGS SR1".split()}
    public = {each for each in optimize.__all__ if callable(getattr(optimize, each)) and not isinstance(getattr(optimize, each), type)}
    assert public <= listed | rest | of_root


def test_numpys_functions_stay_ours():
    """Only SciPy gets NumPy's arrays of NumPy's functions: it hands them to C and Fortran."""
    x = pv.asarray([3.0, 4.0])
    for made in (np.atleast_1d(x), np.atleast_2d(x), np.concatenate([x, x]), np.atleast_1d(pv.asarray(3.0))):
        assert type(made) is pv.Array
    assert type(optimize.minimize(x0=start, method="L-BFGS-B", **value_and_grad).x) is np.ndarray


@pytest.mark.parametrize("name", "welch periodogram spectrogram csd coherence detrend hilbert".split())
def test_signal(name):
    function = getattr(pytest.importorskip("scipy.signal"), name)
    x = np.random.default_rng(3).random((2, 1024))
    count = 2 if name in ("csd", "coherence") else 1
    for found, expected in zip(function(*[pv.asarray(x)] * count), function(*[x] * count)):
        np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-12, atol=1e-15)
