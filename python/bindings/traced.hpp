#pragma once

#include "cycles.hpp"
#include "outputs.hpp"

#include <purview/functional/applied/traced_function.hpp>

#include <memory>
#include <string>
#include <vector>

namespace purview_python {

/// A traced function of arrays of certain types and shapes.
class Traced {
public:
    /// Calls a function of Python with symbols in the place of examples.
    Traced(nb::handle function, nb::handle examples);
    /// What was loaded: several outputs are a tuple.
    explicit Traced(std::shared_ptr<const pv::TracedFunction> loaded);

    /// What it returns for arrays of its types and shapes; None for others, and while this thread traces.
    nb::object called(nb::tuple arrays) const;
    /// What it returns for arrays. Throws `DtypeError` and `ShapeError` naming the argument.
    nb::object operator()(nb::tuple arrays) const;
    /// The same as expressions, in a function that is traced.
    nb::object over(nb::tuple arrays) const;
    /// What the call with arrays would do, as text.
    std::string explain(nb::tuple arrays) const;
    void check_gradient(nb::tuple arrays) const;

    /// Throws `SymbolError` after the collector of cycles has let it go.
    const std::shared_ptr<const pv::TracedFunction>& function() const;
    /// For the collector: the Python objects that nothing else has from here.
    int traverse(visitproc visit, void* arg) const;
    void let_go();

private:
    bool fits(nb::tuple arrays) const;

    Outputs outputs_;
    HeldObjects held_;
    mutable bool is_shared_ = false; ///< expressions of it are elsewhere, too
    std::shared_ptr<const pv::TracedFunction> function_;
};

} // namespace purview_python
