// Functions of arrays with dims: of elements, reductions, order, einsum, rearrange.

#include "dim_functions.hpp"

#include "as_array.hpp"
#include "computing.hpp"
#include "dim_types.hpp"
#include "dims.hpp"
#include "dtypes.hpp"
#include "errors.hpp"
#include "interpreter_lock.hpp"
#include "options.hpp"
#include "python_values.hpp"
#include "text_caster.hpp"
#include "truth.hpp"

#include <purview/base/errors.hpp>
#include <purview/expression/constant.hpp>
#include <purview/functional/applied/explain.hpp>
#include <purview/functional/reductions/reduce_by.hpp>
#include <purview/named/einsum.hpp>
#include <purview/named/index.hpp>
#include <purview/named/order.hpp>
#include <purview/named/rearrange.hpp>
#include <purview/named/reduce_dims.hpp>
#include <purview/named/softmax.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace purview_python {
namespace {

/// A call of a Python function of arrays, some of whose arguments are still to be given.
struct PythonCall {
    nb::object function;
    std::vector<nb::object> arguments; ///< null where an operand goes

    pv::Operand operator()(std::span<const pv::Operand> operands) const {
        const Locked locked;
        nb::list given;
        std::size_t next = 0;
        for (const nb::object& argument : arguments)
            given.append(argument.is_valid() ? argument : nb::cast(Array(operands[next++])));
        const nb::tuple all(given);
        try {
            return running_python([&] {
                const nb::object returned =
                    running_python([&] { return nb::object(function(*all)); });
                return as_array(returned).operand();
            });
        } catch (nb::python_error& error) {
            // Of shapes without the dims, where these alone do not fit.
            if (error.matches(nb::module_::import_("purview._errors").attr("ShapeError")))
                throw pv::ShapeError(nb::cast<std::string>(nb::str(error.value())));
            throw;
        }
    }
};
/// Kept by deferred operations, which may end in a thread without the interpreter's lock.
using SharedCall = std::shared_ptr<PythonCall>;
SharedCall share(PythonCall call) {
    return {new PythonCall(std::move(call)), [](PythonCall* kept) {
                const Locked locked;
                delete kept;
            }};
}

} // namespace

nb::object map_over_dims(const nb::object& function, const nb::tuple& arguments) {
    PythonCall call{function, {}};
    std::vector<pv::DimOperand> operands;
    for (nb::handle argument : arguments) {
        if (argument.is_none() || is_number(argument)) {
            call.arguments.push_back(nb::borrow(argument));
            continue;
        }
        operands.push_back(bound_of(argument));
        call.arguments.emplace_back();
    }
    return combined(std::span<pv::DimOperand>(operands),
                    [shared = share(std::move(call))](std::span<pv::Operand> given) {
                        return (*shared)(given);
                    });
}

namespace {

pv::AxisOrDim one_axis(nb::handle axis) {
    if (const pv::Dim* const dim = dim_in(axis)) return *dim;
    if (PyIndex_Check(axis.ptr()) == 0 || PyBool_Check(axis.ptr()))
        throw nb::type_error(("an axis is a Dim or an integer, not " + message_text(axis)).c_str());
    return static_cast<pv::index_t>(nb::cast<Py_ssize_t>(axis));
}

bool is_several(nb::handle axis) {
    return nb::isinstance<nb::tuple>(axis) || nb::isinstance<nb::list>(axis);
}

template <typename List>
List axes_of(nb::handle axis) {
    List axes;
    const auto add = [&](nb::handle each) {
        const pv::AxisOrDim one = one_axis(each);
        if (one.dim)
            axes.add(*one.dim);
        else
            axes.add(one.axis);
    };
    if (is_several(axis))
        for (nb::handle each : nb::borrow<nb::sequence>(axis)) add(each);
    else
        add(axis);
    return axes;
}

pv::DimReduction prepared(const char* what, nb::handle x, nb::handle axis, bool keep) {
    if (axis.is_none()) return pv::dims_to_reduce(what, bound_of(x), nullptr, keep);
    const auto axes = axes_of<pv::Axes>(axis);
    return pv::dims_to_reduce(what, bound_of(x), &axes, keep);
}

/// A result in new memory, which may be written where it is a plain array.
nb::object made(pv::DimOperand x) {
    const bool is_plain = x.dims.empty() && !x.is_deferred();
    return to_python(std::move(x), is_plain);
}

} // namespace

nb::object reduce_over_dims(const char* name, const pv::BuiltInReduction& built_in, nb::handle x,
                            nb::handle axis, bool keep) {
    pv::DimReduction reduction = prepared(name, x, axis, keep);
    pv::ChosenAxes axes;
    axes.axes = pv::Axes(reduction.axes);
    axes.given = true;
    axes.keep = keep;
    // Of symbols it is put off.
    pv::Operand result = computing(reduction.operand.dims.size(), [&] {
        return reduction.operand.node->reads(pv::Below::symbol)
                   ? pv::reduce_to_node(built_in, reduction.operand, axes)
                   : pv::reduce_any(built_in, reduction.operand, axes).operand();
    });
    return made(std::move(reduction).result(std::move(result)));
}

std::vector<nb::object> reduce_each_over_dims(const char* name,
                                              std::span<const pv::ChosenReducer> reducers,
                                              nb::handle x, nb::handle axis, bool keep) {
    const pv::DimReduction reduction = prepared(name, x, axis, keep);
    const std::vector<pv::Operand> results = computing(reduction.operand.dims.size(), [&] {
        if (std::ranges::any_of(reducers, [](const pv::ChosenReducer& each) {
                return each.nan == pv::NanRule::refuse;
            }))
            pv::require_no_nan(name, reduction.operand, {});
        return pv::reduce_together(reduction.operand, reduction.axes, keep, reduction.lead(),
                                   reducers);
    });
    std::vector<nb::object> objects;
    for (const pv::Operand& each : results) {
        pv::DimReduction own = reduction;
        objects.push_back(made(std::move(own).result(each)));
    }
    return objects;
}

namespace {

nb::object ordered(nb::handle x, const nb::tuple& axes) {
    std::vector<pv::OrderedAxis> list;
    for (nb::handle axis : axes) {
        if (is_several(axis)) {
            list.emplace_back(axes_of<pv::Joint>(axis));
            continue;
        }
        const pv::AxisOrDim one = one_axis(axis);
        list.push_back(one.dim ? pv::OrderedAxis(*one.dim) : pv::OrderedAxis(one.axis));
    }
    const bool writable =
        nb::isinstance<DimArray>(x)
            ? nb::cast<const DimArray&>(x).writable
            : nb::isinstance<Array>(x) && !nb::cast<const Array&>(x).is_read_only();
    return to_python(pv::order_dims(bound_of(x), std::span<const pv::OrderedAxis>(list)), writable);
}

nb::object softmax(nb::handle x, nb::handle axis) {
    const pv::DimOperand operand = pv::settled(bound_of(x));
    const auto axes = axes_of<pv::Axes>(axis);
    const pv::DType result = operand.operand.dtype() == pv::float32 ? pv::float32 : pv::float64;
    return to_python(computing(operand.operand.dims.size(),
                               [&] { return pv::softmax_operand(operand, axes, result); }),
                     true);
}

nb::object einsum(const std::string& formula, const nb::args& arguments, nb::handle /*optimize*/) {
    std::vector<pv::DimOperand> operands;
    std::vector<pv::DType> types;
    for (nb::handle argument : arguments) {
        operands.push_back(bound_of(argument));
        types.push_back(dtype_of(operands.back()));
    }
    if (operands.empty()) throw nb::type_error("einsum: there are no arrays");
    const pv::DType type = pv::einsum_dtype(types);
    const std::vector<pv::DimOperand> given = operands;
    pv::DimOperand result =
        computing(1 << 20, [&] { return pv::einsum_operand(formula, std::move(operands), type); });
    for (const pv::DimOperand& each : given) // "ij->ji" is a view
        if (!each.is_deferred() && !result.is_deferred() &&
            pv::shares_storage(Array(each.operand), Array(result.operand)))
            return to_python(std::move(result));
    return made(std::move(result));
}

nb::object rearrange(nb::handle x, const std::string& pattern, const nb::kwargs& sizes) {
    std::vector<pv::AxisSize> named;
    for (const auto& [name, size] : sizes) {
        named.push_back({nb::cast<std::string>(name), integer_of("rearrange: a size", size)});
    }
    const nb::object array = has_dims(x) ? nb::borrow(x) : nb::cast(as_array(x));
    const bool writable =
        nb::isinstance<DimArray>(array)
            ? nb::cast<const DimArray&>(array).writable
            : nb::isinstance<Array>(array) && !nb::cast<const Array&>(array).is_read_only();
    return to_python(pv::rearrange_operand(pattern, bound_of(array), named), writable);
}

} // namespace

void bind_dim_functions(nb::module_& module) {
    module.def("_map_over_dims", &map_over_dims);
    module.def(
        "_reduce_over_dims",
        [](const nb::str& name, nb::handle x, nb::handle axis, Truth keep) {
            return reduce_over_dims(name.c_str(), *named_reduction("_reduce_over_dims", name), x,
                                    axis, keep);
        },
        nb::arg("name"), nb::arg("x"), nb::arg("axis").none(), nb::arg("keepdims"));
    module.def("_order", &ordered);
    module.def(
        "softmax", &softmax, nb::arg("x"), nb::arg("axis") = -1,
        "exp(x - max) / sum(exp(x - max)) over an axis, a Dim, or several of both, of the shape of x; computed now.");
    module.def(
        "einsum", &einsum, nb::arg("formula"), nb::arg("arrays"), nb::arg("optimize") = nb::none(),
        "A sum of products, \"ik,kj->ij\", as in NumPy; computed now. Bound dims stay bound.");
    module.def(
        "rearrange", &rearrange, nb::arg("x"), nb::arg("pattern"), nb::arg("sizes"),
        "Axes in another order, split and joined, \"(h p) w -> h w p\", as in einops. A view.");
    module.def("_index_dim", [](nb::handle x, nb::handle axis, nb::handle value) {
        nb::object result = to_python(index_joined_by(x, axes_of<pv::Axes>(axis), value));
        const Array* const array =
            array_in(result); // of an integer one element, where no axis is left
        const bool is_element = array != nullptr && array->rank() == 0 && try_integer(value);
        return is_element ? object_of(element_value(*array)) : result;
    });
    // Computed if it was waiting for sizes. Throws, naming the dim that has none.
    module.def("_settled", [](nb::handle x) {
        return to_python(pv::settled(bound_of(x)),
                         nb::isinstance<DimArray>(x) && nb::cast<const DimArray&>(x).writable);
    });
    // Without bound dims: the array. Throws, naming the dims.
    module.def("_plain",
               [](nb::handle x) { return Array(pv::AnyDimTensor(bound_of(x)).operand()); });
    module.def("_explain_sum", [](nb::handle x, nb::handle axis) {
        const pv::DimReduction reduction = prepared("sum", x, axis, false);
        return pv::explain_reduced(
            {&pv::fold_reduction(pv::Reduction::sum), nullptr, pv::NanRule::keep},
            Array(reduction.operand), reduction.axes);
    });
    module.def("_explain",
               [](nb::handle x) { return pv::explain(Array(pv::settled(bound_of(x)).operand)); });
}

} // namespace purview_python
