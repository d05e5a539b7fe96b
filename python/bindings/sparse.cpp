// Sparse arrays: pairs of an index and a value, and a fill.

#include "sparse.hpp"

#include "as_array.hpp"
#include "casts.hpp"
#include "computing.hpp"
#include "copies.hpp"
#include "options.hpp"
#include "text_caster.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/functional/assembly/argfilter.hpp>
#include <purview/functional/assembly/sparse.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/sparse_tensor.hpp>
#include <purview/tensor/views.hpp>
#include <purview/tensor/wrap.hpp>

#include <algorithm>
#include <complex>
#include <string>
#include <utility>
#include <vector>

namespace purview_python {
namespace {

template <typename T>
std::vector<T> elements_of(const Array& x) {
    return pv::to_vector(pv::Tensor<T>(cast_to(x, pv::kDType<T>).operand()));
}

std::vector<pv::index_t> indexes_of(const Array& x, const char* what) {
    if (x.size() == 0) return {};
    if (!x.dtype().is_integer())
        throw pv::DtypeError(std::string(what) + ": indexes are integers, not " +
                             std::string(x.dtype().name()));
    if (x.rank() != 1)
        throw pv::ShapeError(std::string(what) + ": indexes are of rank 1, not of shape " +
                             pv::to_string(x.shape()));
    return elements_of<pv::index_t>(x);
}

/// The fill that is given, exactly.
template <typename T>
T fill_of(nb::handle object, const char* what) {
    const Array x = as_array(object);
    if (x.size() != 1)
        throw pv::ShapeError(std::string(what) + ": the fill is one number, not of shape " +
                             pv::to_string(x.shape()));
    if constexpr (pv::BuiltinType<T>) {
        if (pv::is_complex(x.dtype()))
            throw pv::DtypeError(std::string(what) +
                                 ": the fill is complex, and the elements are " +
                                 std::string(pv::kDType<T>.name()));
        const T number =
            pv::Tensor<T>(pv::convert_operand(x.operand(), pv::kDType<T>, pv::Op::cast)).read(0);
        const Array differs = pv::any_binary(pv::Op::not_equal, {x.operand(), false},
                                             {pv::constant_operand(number), false});
        if (std::integral<T> && pv::Tensor<bool>(differs.operand()).read(0))
            throw pv::CastError(std::string(what) + ": the fill is no " +
                                std::string(pv::kDType<T>.name()));
        return number;
    } else {
        return pv::Tensor<T>(cast_to(x, pv::kDType<T>).operand()).read(0);
    }
}

pv::Duplicates policy_named(const std::string& name) {
    if (name == "error") return pv::Duplicates::error;
    if (name == "last") return pv::Duplicates::last;
    if (name == "sum") return pv::Duplicates::sum;
    throw nb::value_error(("duplicates are error, last or sum, not " + name).c_str());
}

Array sparse_of(const char* what, pv::ShapeSpan shape, std::vector<pv::index_t> indexes,
                const Array& values, nb::handle fill, pv::Duplicates duplicates) {
    if (values.rank() > 1)
        throw pv::ShapeError(std::string(what) + ": values are of rank 1, not of shape " +
                             pv::to_string(values.shape()));
    const pv::Shape count = {std::ssize(indexes)};
    const Array line =
        values.rank() == 1 ? values : Array(pv::broadcast_operand(values.operand(), count));
    return visit_stored(values.dtype(), what, [&]<typename T>(std::type_identity<T>) -> Array {
        const T other = fill_of<T>(fill, what);
        return computing(line.size(), [&]() -> Array {
            return pv::MutableTensor<T>(pv::sparse_operand<T>(
                shape, std::move(indexes), elements_of<T>(line), other, duplicates));
        });
    });
}

/// The stored elements as they are now; an expression is computed.
template <typename T>
auto pairs_of(const Array& x) {
    return computing(kStored, [&] { return pv::sparse_pairs(pv::Tensor<T>(x.operand())); });
}

/// The coordinates of row-major indexes, an array for each axis.
nb::tuple coordinates_of(std::span<const pv::index_t> indexes, pv::ShapeSpan shape) {
    const auto axes = computing(std::ssize(indexes), [&] {
        return pv::unravel_index(pv::AnyTensor(pv::borrow(indexes)), pv::AxisValues(shape));
    });
    nb::list result;
    for (const auto& axis : axes) result.append(Array(axis));
    return nb::tuple(result);
}

template <typename T>
Array memory_of(std::span<const T> values) {
    const pv::MutableTensor<T> result = pv::empty<T>({std::ssize(values)});
    if (!values.empty()) std::ranges::copy(values, result.data());
    return result;
}

void bind_what_is_stored(nb::class_<Array>& array) {
    array.def_prop_ro(
        "is_sparse", [](const Array& x) { return purview_python::is_sparse(x); },
        "Whether the elements are computed in time proportional to what is stored.");
    array.def_prop_ro(
        "nnz",
        [](const Array& x) {
            return visit_stored(x.dtype(), "nnz", [&]<typename T>(std::type_identity<T>) {
                return pairs_of<T>(x)->stored();
            });
        },
        "How many elements a sparse array stores; an expression is computed for that.");
    array.def_prop_ro(
        "fill",
        [](const Array& x) {
            return visit_stored(x.dtype(), "fill", [&]<typename T>(std::type_identity<T>) {
                return realised(Array(pv::constant_operand(pairs_of<T>(x)->fill())));
            });
        },
        "What every element of a sparse array equals that is not stored.");
    array.def_prop_ro(
        "stored_indexes",
        [](const Array& x) {
            return visit_stored(x.dtype(), "stored_indexes",
                                [&]<typename T>(std::type_identity<T>) {
                                    return memory_of(pairs_of<T>(x)->indexes());
                                });
        },
        "The row-major indexes of the stored elements, ascending.");
    array.def_prop_ro(
        "stored_values",
        [](const Array& x) {
            return visit_stored(x.dtype(), "stored_values", [&]<typename T>(std::type_identity<T>) {
                return memory_of(pairs_of<T>(x)->values());
            });
        },
        "A copy of the stored elements, in the order of their indexes.");
    array.def_prop_ro(
        "coordinates",
        [](const Array& x) {
            return visit_stored(x.dtype(), "coordinates", [&]<typename T>(std::type_identity<T>) {
                return coordinates_of(pairs_of<T>(x)->indexes(), x.dimensions().max_shape());
            });
        },
        "The coordinates of the stored elements, an array for each axis.");
}

} // namespace

void bind_sparse(nb::module_& module, nb::class_<Array>& array) {
    module.def("_from_coo", [](nb::handle shape, nb::handle coordinates, nb::handle values,
                               nb::handle fill, const std::string& duplicates) {
        const pv::Shape extents = integers_of(shape);
        std::vector<std::vector<pv::index_t>> lists;
        for (nb::handle each : coordinates) lists.push_back(indexes_of(as_array(each), "from_coo"));
        return sparse_of("from_coo", extents, pv::coordinate_indexes("from_coo", extents, lists),
                         as_array(values), fill, policy_named(duplicates));
    });
    module.def("_sparse_tensor", [](nb::handle shape, nb::handle indexes, nb::handle values,
                                    nb::handle fill, const std::string& duplicates) {
        return sparse_of("sparse_tensor", integers_of(shape),
                         indexes_of(as_array(indexes), "sparse_tensor"), as_array(values), fill,
                         policy_named(duplicates));
    });
    module.def("_to_sparse", [](nb::handle x, nb::handle fill) {
        const Array source = as_array(x);
        return visit_stored(
            source.dtype(), "to_sparse", [&]<typename T>(std::type_identity<T>) -> Array {
                const T other = fill_of<T>(fill, "to_sparse");
                return computing(source.size(), [&]() -> Array {
                    return pv::MutableTensor<T>(pv::to_sparse_operand<T>(source.operand(), other));
                });
            });
    });
    module.def(
        "to_dense",
        [](nb::handle x) {
            const Array source = as_array(x);
            if (!source.operand().node->reads(pv::Below::sparse)) return realised(source);
            return visit_stored(source.dtype(), "to_dense",
                                [&]<typename T>(std::type_identity<T>) -> Array {
                                    return computing(source.size(), [&]() -> Array {
                                        return pv::dense_copy<T>(source.operand());
                                    });
                                });
        },
        nb::arg("x"), "A copy in dense memory, however large a sparse array is.");
    module.def(
        "prune",
        [](nb::handle x) {
            const Array source = as_array(x);
            return visit_stored(
                source.dtype(), "prune", [&]<typename T>(std::type_identity<T>) -> Array {
                    return computing(kStored, [&]() -> Array {
                        return pv::MutableTensor<T>(pv::pruned_operand<T>(source.operand()));
                    });
                });
        },
        nb::arg("x"), "A copy of a sparse array without the stored elements that equal its fill.");
    bind_what_is_stored(array);
}

} // namespace purview_python
