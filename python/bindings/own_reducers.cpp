// Reducers of one's own, made of functions of Python, and the library's sketches.

#include "own_reducers.hpp"

#include "as_array.hpp"
#include "callback.hpp"
#include "computing.hpp"
#include "dtypes.hpp"
#include "options.hpp"
#include "raised.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/functional/statistics/sketches.hpp>

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace purview_python {
namespace {

std::span<const std::byte> bytes_at(const void* from, pv::index_t count) {
    return {static_cast<const std::byte*>(from), static_cast<std::size_t>(count)};
}
nb::bytes copy_of(std::span<const std::byte> bytes) {
    return nb::bytes(bytes.data(), bytes.size());
}

/// What the base of `PythonReducer` borrows.
struct NamedBytes {
    std::string name;
    std::string initial;
};

/// Its functions take bytes, and give bytes: `_own_reducers.py` makes arrays of them.
class PythonReducer final : NamedBytes, public pv::FunctionReducer {
public:
    PythonReducer(std::string called, std::string begin, pv::DType element, pv::DType result,
                  pv::index_t width, bool commutes, nb::object functions)
        : NamedBytes{std::move(called), std::move(begin)},
          FunctionReducer(NamedBytes::name.c_str(), element, result, width,
                          std::as_bytes(std::span(NamedBytes::initial)), commutes, false),
          functions_(std::move(functions)) {}

    void fold_block(std::byte* state, const void* elements, pv::index_t count,
                    pv::index_t) const override {
        call("fold", state, state_bytes(), bytes_at(state, state_bytes()),
             bytes_at(elements, count * element().size_bytes()));
    }
    void join(std::byte* left, const std::byte* right, pv::index_t count) const override {
        const pv::index_t bytes = state_bytes();
        for (; count > 0; --count, left += bytes, right += bytes)
            call("join", left, bytes, bytes_at(left, bytes), bytes_at(right, bytes));
    }
    void finish(const std::byte* states, pv::index_t count, pv::index_t, void* out) const override {
        const pv::index_t bytes = results_of(1) * result().size_bytes();
        auto* to = static_cast<std::byte*>(out);
        for (; count > 0; --count, states += state_bytes(), to += bytes)
            call("finish", to, bytes, bytes_at(states, state_bytes()));
    }
    /// The rows of each group of a block together.
    void fold_rows(std::byte* states, const void* elements, const std::int64_t* numbers,
                   pv::index_t count, bool skips_nan, pv::index_t*) const override {
        const auto* const from = static_cast<const std::byte*>(elements);
        const pv::index_t size = element().size_bytes();
        std::vector<pv::index_t> order;
        for (pv::index_t row = 0; row < count; ++row)
            if (!skips_nan || is_number(from + row * size)) order.push_back(row);
        std::ranges::stable_sort(order, {}, [&](pv::index_t row) { return numbers[row]; });
        std::string block;
        for (auto row = order.begin(); row != order.end();) {
            const std::int64_t group = numbers[*row];
            block.clear();
            for (; row != order.end() && numbers[*row] == group; ++row)
                block.append(reinterpret_cast<const char*>(from + *row * size),
                             static_cast<std::size_t>(size));
            fold_block(states + group * state_bytes(), block.data(), std::ssize(block) / size, 0);
        }
    }
    /// Each window as one block.
    void roll(const pv::RolledLane& lane, void* out) const override {
        const auto* const from = static_cast<const std::byte*>(lane.elements);
        const pv::index_t size = element().size_bytes();
        auto* to = static_cast<std::byte*>(out);
        std::string state;
        std::string block;
        for (pv::index_t i = 0; i < lane.windows.count; ++i, to += result().size_bytes()) {
            block.clear();
            for (pv::index_t at = lane.windows.begin(i); at < lane.windows.end(i); ++at)
                if (!lane.skips_nan || is_number(from + at * size))
                    block.append(reinterpret_cast<const char*>(from + at * size),
                                 static_cast<std::size_t>(size));
            state = NamedBytes::initial;
            auto* const bytes = reinterpret_cast<std::byte*>(state.data());
            if (!block.empty()) fold_block(bytes, block.data(), std::ssize(block) / size, 0);
            finish(bytes, 1, 0, to);
        }
    }
    pv::Operand new_results(pv::ShapeSpan shape) const override {
        return pv::visit_dtype(
            result(), NamedBytes::name.c_str(), [&]<typename R>(std::type_identity<R>) {
                return pv::empty<R>(pv::AxisValues(pv::to_shape(shape))).operand();
            });
    }

    /// What it calls, for Python's collector of cycles.
    nb::handle functions() const { return functions_.get(); }

private:
    bool is_number(const std::byte* at) const {
        if (element() == pv::float64) {
            double x;
            std::memcpy(&x, at, sizeof x);
            return x == x;
        }
        float x = 0;
        if (element() == pv::float32) std::memcpy(&x, at, sizeof x);
        return x == x;
    }
    /// Calls a function with bytes, and takes the bytes that it gives.
    template <typename... Bytes>
    void call(const char* which, std::byte* out, pv::index_t bytes, Bytes... given) const {
        calling_python([&] {
            const nb::object function = functions_.get().attr(which);
            const nb::tuple copies = nb::make_tuple(copy_of(given)...);
            const nb::object made = running_python([&] { return nb::object(function(*copies)); });
            char* from = nullptr;
            Py_ssize_t size = 0;
            if (PyBytes_AsStringAndSize(made.ptr(), &from, &size) != 0) throw nb::python_error();
            if (size != bytes) throw pv::Error("reducer: the functions give other bytes");
            std::memcpy(out, from, static_cast<std::size_t>(size));
        });
    }

    Callback functions_;
};

/// The states of each of `groups` equal parts of an array, one behind the other.
nb::bytes states_of(const OwnReducer& reducer, const Array& x, pv::index_t groups) {
    std::string states;
    computing(x.size(), [&] {
        const auto [by, elements, skips] = pv::elements_for(*reducer.functions, x.operand());
        states.resize(static_cast<std::size_t>(groups * by.state_bytes()));
        auto* const to = reinterpret_cast<std::byte*>(states.data());
        if (x.size() == 0)
            by.clear(to, groups);
        else
            pv::fold_part(by, {elements, groups, [](pv::index_t, pv::index_t at) { return at; }},
                          to);
    });
    return nb::bytes(states.data(), states.size());
}
/// Of states `[groups, parts]`, joined in their order: `[groups]`.
nb::bytes joined_states(const OwnReducer& reducer, const nb::bytes& given, pv::index_t groups) {
    const pv::FunctionReducer& by = *reducer.functions;
    const pv::index_t bytes = by.state_bytes();
    const auto size = static_cast<pv::index_t>(given.size());
    if (groups < 1 || size == 0 || size % (groups * bytes) != 0)
        throw pv::ShapeError("reducer: states of another reducer");
    const pv::index_t parts = size / (groups * bytes);
    std::string from(given.c_str(), given.size());
    std::string joined;
    computing(size, [&] {
        for (pv::index_t g = 0; g < groups; ++g) {
            auto* const first = reinterpret_cast<std::byte*>(from.data()) + g * parts * bytes;
            for (pv::index_t part = 1; part < parts; ++part)
                by.join(first, first + part * bytes, 1);
            joined.append(reinterpret_cast<const char*>(first), static_cast<std::size_t>(bytes));
        }
    });
    return nb::bytes(joined.data(), joined.size());
}
/// The results of states: `[groups]`, or of lists `[groups, list]`.
Array results_of(const OwnReducer& reducer, const nb::bytes& given) {
    const pv::FunctionReducer& by = *reducer.functions;
    const auto groups = static_cast<pv::index_t>(given.size()) / by.state_bytes();
    pv::Shape shape{groups};
    if (by.width() > 0) shape.push_back(by.width());
    const pv::Operand results = by.new_results(shape);
    std::string states(given.c_str(), given.size());
    if (groups > 0)
        computing(groups, [&] {
            by.finish(reinterpret_cast<const std::byte*>(states.data()), groups, 0,
                      pv::leaf_of(results)->writable_memory().data);
        });
    return Array::writable(results);
}

/// Visits the functions that this object alone keeps alive: a method of what has the reducer. Python ends such a cycle
/// where it passes `_Functions`.
int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    if (!nb::inst_ready(self) || Unlocked::threads() > 0) return 0;
    const auto& functions = nb::inst_ptr<OwnReducer>(self)->functions;
    const auto* const own = dynamic_cast<const PythonReducer*>(functions.get());
    if (own != nullptr && functions.use_count() == 1) Py_VISIT(own->functions().ptr());
    return 0;
}
PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(&traverse)}, {0, nullptr}};

} // namespace

const OwnReducer* own_reducer_in(nb::handle object) {
    return nb::isinstance<OwnReducer>(object) ? nb::inst_ptr<OwnReducer>(object) : nullptr;
}

void bind_own_reducers(nb::module_& module) {
    nb::class_<OwnReducer>(module, "Reducer", nb::type_slots(slots),
                           "A reduction that is an object: for reduce, groups and windows.")
        .def_prop_ro("name", [](const OwnReducer& r) { return std::string(r.functions->name()); })
        .def_prop_ro("_state_bytes", [](const OwnReducer& r) { return r.functions->state_bytes(); })
        .def("__repr__",
             [](const OwnReducer& r) {
                 return "<purview.Reducer " + std::string(r.functions->name()) + ">";
             })
        .def_prop_ro("_functions",
                     [](const OwnReducer& r) {
                         const auto* own = dynamic_cast<const PythonReducer*>(r.functions.get());
                         return own == nullptr ? nb::object(nb::none())
                                               : nb::borrow(own->functions());
                     })
        .def_prop_ro("_quantiles",
                     [](const OwnReducer& r) -> nb::object {
                         nb::list all;
                         for (const double q : r.quantiles) all.append(q);
                         if (r.quantiles.empty()) return nb::none();
                         return r.list ? nb::object(all) : nb::object(all[0]);
                     })
        .def("_states", &states_of)
        .def("_joined", &joined_states)
        .def("_results", &results_of);
    module.def("_reducer",
               [](std::string name, const nb::bytes& initial, nb::handle element, nb::handle result,
                  pv::index_t width, bool commutes, nb::object functions) {
                   return OwnReducer{std::make_shared<const PythonReducer>(
                       std::move(name), std::string(initial.c_str(), initial.size()),
                       dtype_of(element), dtype_of(result), width, commutes, std::move(functions))};
               });
    module.def(
        "approximate_quantile",
        [](nb::handle q) {
            const Array given = as_array(q);
            if (given.rank() > 1) throw nb::value_error("quantiles are a number, or a list");
            const std::vector<double> quantiles = doubles_of(q);
            const bool list = given.rank() == 1;
            return OwnReducer{pv::quantile_sketch(quantiles, list), quantiles, list};
        },
        nb::arg("q"),
        "A reducer that estimates quantiles in one pass and 16 KB: as quantile of up to 512 elements, of more an element whose "
        "rank is within 0.6 % of the wanted one, 99 of 100 times. A list of quantiles is an axis in front. Error outside of [0, 1].");
    module.attr("approximate_distinct") =
        nb::cast(OwnReducer{std::shared_ptr<const pv::FunctionReducer>(
            std::shared_ptr<const void>(), &pv::approximate_distinct.functions())});
}

} // namespace purview_python
