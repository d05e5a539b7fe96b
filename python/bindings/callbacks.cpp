// Readers and functions written in Python, and functions of C, as parts of expressions.

#include "callbacks.hpp"

#include "as_array.hpp"
#include "callback.hpp"
#include "casts.hpp"
#include "dtypes.hpp"
#include "interpreter_lock.hpp"
#include "raised.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/reader/reader.hpp>
#include <purview/tensor/views.hpp>

#include <atomic>
#include <complex>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace purview_python {
namespace {

template <typename T>
T element_of(nb::handle object) {
    if constexpr (std::same_as<T, bool>)
        return PyObject_IsTrue(object.ptr()) == 1;
    else if constexpr (std::integral<T>)
        return static_cast<T>(nb::cast<long long>(nb::int_(object)));
    else
        return static_cast<T>(nb::cast<double>(nb::float_(object)));
}

template <typename T>
class PythonReader final : public pv::Reader<T> {
public:
    explicit PythonReader(nb::object object)
        : size_(static_cast<pv::index_t>(nb::len(object))),
          reads_blocks_(has_attribute(object, "read_block")),
          object_(std::move(object)) {}

    pv::index_t size() const override { return size_; }
    bool is_thread_safe() const noexcept override { return false; }
    T read(pv::index_t i) const override {
        return calling_python([&] { return element_of<T>(object_.get().attr("read")(i)); });
    }
    void read_block(pv::index_t begin, pv::index_t step, std::span<T> out) const override {
        calling_python([&] { read_locked(begin, step, out); });
    }
    const Callback& callback() const noexcept { return object_; }

private:
    void read_locked(pv::index_t begin, pv::index_t step, std::span<T> out) const {
        if (reads_blocks_) {
            const auto count = static_cast<pv::index_t>(out.size());
            const Array block =
                as_array(object_.get().attr("read_block")(begin, step, count), pv::kDType<T>);
            if (block.rank() != 1 || block.size() != count)
                throw pv::ShapeError("read_block: shape " + pv::to_string(block.shape()) + " for " +
                                     std::to_string(count) + " elements");
            for (pv::index_t i = 0; i < count; ++i)
                out[static_cast<std::size_t>(i)] = pv::Tensor<T>(block.operand()).read(i);
            return;
        }
        const nb::object read = object_.get().attr("read");
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = element_of<T>(running_python( // `read` is not dropped by an unwound thread
                [&] { return read(begin + static_cast<pv::index_t>(i) * step); }));
    }

    pv::index_t size_;
    bool reads_blocks_;
    Callback object_;
};

/// The derivative of a function by each operand; none of one without derivatives.
using Derivatives = std::vector<std::shared_ptr<const pv::BlockFunction>>;

class DerivableFunction : public pv::BlockFunction {
public:
    explicit DerivableFunction(Derivatives derivatives) : derivatives_(std::move(derivatives)) {}
    std::shared_ptr<const pv::BlockFunction> derivative(std::size_t number) const override {
        return number < derivatives_.size() ? derivatives_[number] : nullptr;
    }

private:
    Derivatives derivatives_;
};

/// A Python function of elements, which is called for each.
template <typename T>
class PythonFunction final : public DerivableFunction {
public:
    PythonFunction(nb::object function, std::size_t operands, Derivatives derivatives)
        : DerivableFunction(std::move(derivatives)),
          operands_(operands),
          function_(std::move(function)) {}
    void apply(pv::index_t count, void* out, const void* const* operands) const override {
        calling_python([&] {
            for (pv::index_t i = 0; i < count; ++i) {
                const auto x = [&](std::size_t k) { return static_cast<const T*>(operands[k])[i]; };
                const nb::object result = operands_ == 1   ? function_.get()(x(0))
                                          : operands_ == 2 ? function_.get()(x(0), x(1))
                                                           : function_.get()(x(0), x(1), x(2));
                static_cast<T*>(out)[i] = element_of<T>(result);
            }
        });
    }
    const Callback& callback() const noexcept { return function_; }

private:
    std::size_t operands_;
    Callback function_;
};
/// A function of C at an address, T(T, …).
template <typename T>
class NativeFunction final : public DerivableFunction {
public:
    NativeFunction(void* address, std::shared_ptr<Callback> owner, std::size_t operands,
                   Derivatives derivatives)
        : DerivableFunction(std::move(derivatives)),
          address_(address),
          operands_(operands),
          owner_(std::move(owner)) {}
    void apply(pv::index_t count, void* out, const void* const* operands) const override {
        for (pv::index_t i = 0; i < count; ++i) {
            const auto x = [&](std::size_t k) { return static_cast<const T*>(operands[k])[i]; };
            static_cast<T*>(out)[i] =
                operands_ == 1   ? reinterpret_cast<T (*)(T)>(address_)(x(0))
                : operands_ == 2 ? reinterpret_cast<T (*)(T, T)>(address_)(x(0), x(1))
                                 : reinterpret_cast<T (*)(T, T, T)>(address_)(x(0), x(1), x(2));
        }
    }

private:
    void* address_;
    std::size_t operands_;
    std::shared_ptr<Callback> owner_;
};

/// The function of (function, its address or None, derivatives like it).
template <typename T>
std::shared_ptr<const pv::BlockFunction> block_function(nb::handle described,
                                                        std::size_t operands) {
    Derivatives derivatives;
    for (nb::handle each : described[2]) derivatives.push_back(block_function<T>(each, operands));
    const nb::object function = described[0], address = described[1];
    if (address.is_none()) {
        auto made =
            std::make_shared<const PythonFunction<T>>(function, operands, std::move(derivatives));
        made->callback().list(made);
        return made;
    }
    const auto owner = std::make_shared<Callback>(function);
    auto made = std::make_shared<const NativeFunction<T>>(
        reinterpret_cast<void*>(nb::cast<std::uintptr_t>(address)), owner, operands,
        std::move(derivatives));
    owner->list(made);
    return made;
}

template <std::size_t N>
Array mapped(std::vector<pv::Operand>& given, pv::DType type,
             std::shared_ptr<const pv::BlockFunction> function) {
    std::array<pv::Operand, N> operands;
    std::ranges::move(given, operands.begin());
    return Array(pv::elementwise<N>(pv::Op::map, type, std::move(operands), std::move(function)));
}

} // namespace

void bind_callbacks(nb::module_& module) {
    module.def(
        "from_reader",
        [](nb::object reader, nb::handle dtype, nb::handle shape) {
            const pv::DType type = dtype_of(dtype);
            pv::Shape extents;
            if (shape.is_none())
                extents = {static_cast<pv::index_t>(nb::len(reader))};
            else
                for (nb::handle each : shape)
                    extents.push_back(static_cast<pv::index_t>(nb::cast<Py_ssize_t>(each)));
            return pv::visit_dtype(
                type, "from_reader", [&]<typename T>(std::type_identity<T>) -> Array {
                    const auto leaf = std::make_shared<const PythonReader<T>>(reader);
                    leaf->callback().list(leaf);
                    const pv::Shape line = {leaf->size()};
                    const pv::Operand elements = {pv::make_node<pv::Leaf>(leaf),
                                                  pv::Dimensions::row_major(line)};
                    return Array(pv::reshape_operand(elements, extents));
                });
        },
        nb::arg("reader"), nb::arg("dtype"), nb::arg("shape") = nb::none(),
        "An array over an object with `__len__` and `read(i)`, which gives element i, and, if it has it, `read_block(begin, step, count)`, "
        "which gives an array of elements. They are called whenever elements are read, on one thread at a time.");
    module.def(
        "_emap",
        [](nb::handle function, nb::handle arrays, nb::handle dtype) {
            std::vector<pv::Operand> operands;
            const pv::DType type = dtype_of(dtype);
            for (nb::handle each : arrays)
                operands.push_back(cast_to(as_array(each), type).operand());
            pv::broadcast_operands(operands, "emap");
            const std::size_t count = operands.size();
            const auto block =
                pv::visit_dtype(type, "emap", [&]<typename T>(std::type_identity<T>) {
                    return block_function<T>(function, count);
                });
            return count == 1   ? mapped<1>(operands, type, block)
                   : count == 2 ? mapped<2>(operands, type, block)
                                : mapped<3>(operands, type, block);
        },
        nb::arg("function"), nb::arg("arrays"), nb::arg("dtype"));
}

} // namespace purview_python
