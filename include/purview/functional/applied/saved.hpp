#pragma once

#include <purview/functional/applied/computation.hpp>
#include <purview/functional/elementwise/emap.hpp>
#include <purview/functional/reductions/own_reducer.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// What is saved of a computation.
struct SaveOptions {
    bool values = true; ///< of variables and persistent symbols; without, the loader updates them
    index_t largest_tensor = index_t{64} << 20; ///< in bytes; a larger one is refused
    /// A folder: tensors of mapped files in it are saved as the places of their elements, and not by
    /// their elements. Empty: none are.
    std::string places{};
};
/// What may be read when a computation is loaded.
struct LoadOptions {
    /// The folder that saved places are relative to. Nothing outside of it is opened, also not by way
    /// of a link; and nothing at all if it is empty.
    std::string places{};
};

/// The type and kind of an output, as a type says it.
struct OutputSpec {
    DType dtype;
    bool is_number; ///< of rank 0
};

/// A computation whose signature is known at run time: what was loaded. A value, cheap to copy, which
/// may be called from several threads at once. Compiled when it is first called.
class PURVIEW_EXPORT AnyComputation {
public:
    explicit AnyComputation(std::shared_ptr<const TracedFunction> function) noexcept
        : function_(std::move(function)) {}

    std::size_t argument_count() const noexcept;
    /// What argument `i` has to be. Throws `IndexError`.
    const ArgumentSpec& argument(std::size_t i) const;
    std::size_t output_count() const noexcept;

    /// Calls it; outputs are in new memory. Throws as a `Computation` does.
    std::vector<AnyTensor> operator()(const std::vector<AnyTensor>& inputs) const;

    /// The computation with its static types, as `as<double(double, float)>()`, where the result is
    /// one of those of a `Computation`. Throws `DtypeError` naming the argument or output, and
    /// `ShapeError` where an output is no number.
    template <typename Signature>
    Computation<Signature> as() const {
        return Typed<Signature>::of(*this);
    }

    /// The trainable symbols; and any variable or persistent symbol by its name, to be updated. Throws
    /// `SymbolError` naming those that there are.
    std::vector<AnySymbol> variables() const;
    AnySymbol symbol(std::string_view name) const;

    const std::shared_ptr<const TracedFunction>& function() const noexcept { return function_; }

    friend std::ostream& operator<<(std::ostream& out, const AnyComputation& computation) {
        return out << *computation.function_;
    }

private:
    template <typename Signature>
    struct Typed;
    template <typename R, typename... T>
    struct Typed<R(T...)> {
        static Computation<R(T...)> of(const AnyComputation& any) {
            std::vector<OutputSpec> outputs;
            OutputSpecs<R>::add(outputs, any.output_count());
            any.check({kDType<T>...}, outputs);
            return Computation<R(T...)>(any.function_);
        }
    };
    template <typename R>
    struct OutputSpecs {
        static void add(std::vector<OutputSpec>& specs, std::size_t) {
            if constexpr (TensorLike<R>)
                specs.push_back({kDType<typename R::value_type>, false});
            else
                specs.push_back({kDType<R>, true});
        }
    };
    template <typename V>
    struct OutputSpecs<std::vector<V>> {
        static void add(std::vector<OutputSpec>& specs, std::size_t length) {
            for (std::size_t i = 0; i < length; ++i) OutputSpecs<V>::add(specs, 1);
        }
    };
    template <SeveralOutputs R>
    struct OutputSpecs<R> {
        static void add(std::vector<OutputSpec>& specs, std::size_t count) {
            constexpr std::size_t kOthers = std::tuple_size_v<R> - 1;
            [&]<std::size_t... I>(std::index_sequence<I...>) {
                (OutputSpecs<std::tuple_element_t<I, R>>::add(
                     specs, count > kOthers ? count - kOthers : 0),
                 ...);
            }
            (std::make_index_sequence<std::tuple_size_v<R>>{});
        }
    };
    void check(const std::vector<DType>& arguments, const std::vector<OutputSpec>& outputs) const;

    std::shared_ptr<const TracedFunction> function_;
};

PURVIEW_EXPORT std::string computation_bytes(const TracedFunction& function,
                                             const SaveOptions& options);
PURVIEW_EXPORT std::string computation_text(const TracedFunction& function,
                                            const SaveOptions& options);
PURVIEW_EXPORT void save_computation(const std::string& path, const TracedFunction& function,
                                     const SaveOptions& options);

/// A computation as bytes, in the format of docs/design/computation_format.md: its graph with the
/// elements of the tensors that it has captured, of variables and of persistent symbols. What was
/// loaded from them is saved as the same bytes. With extents of `any_size`, the programs for the
/// shapes that it has been called with. O(nodes + bytes). Throws `FormatError` naming the node for a
/// function given to `emap` that has no name, for a tensor larger than `largest_tensor`, for types
/// that are not saved (built-in ones, floats of 16 bits and complex numbers are).
template <typename C>
    requires requires(const C& c) { c.function(); }
std::string computation_bytes(const C& c, const SaveOptions& options = {}) {
    return computation_bytes(*c.function(), options);
}
/// The same as text, from which the same bits are read.
template <typename C>
    requires requires(const C& c) { c.function(); }
std::string computation_text(const C& c, const SaveOptions& options = {}) {
    return computation_text(*c.function(), options);
}
/// The bytes, written to a file beside it, which then takes its name. Throws `FormatError` naming the
/// path where it cannot be written.
template <typename C>
    requires requires(const C& c) { c.function(); }
void save_computation(const std::string& path, const C& c, const SaveOptions& options = {}) {
    save_computation(path, *c.function(), options);
}

/// The computation of bytes or text, which may come from anywhere: they are checked before anything is
/// made of them, in memory of some times their size, and nothing is computed. Throws `FormatError` for
/// what is malformed, is of a newer version, names a function that was not registered, or a place that
/// is not in `places`.
PURVIEW_EXPORT AnyComputation computation_from(std::string_view bytes_or_text,
                                               const LoadOptions& options = {});
/// That of a file. Throws `FormatError` naming the path also where it cannot be read.
PURVIEW_EXPORT AnyComputation load_computation(const std::string& path,
                                               const LoadOptions& options = {});

/// Makes the function known. Throws `FormatError` naming it if the name is empty, taken, or ends as
/// that of a derivative: in `/` and digits.
PURVIEW_EXPORT void register_block_function(std::string_view name, std::vector<DType> operands,
                                            DType result,
                                            std::shared_ptr<const BlockFunction> function);
template <typename Signature>
struct Registration;
template <typename R, typename... T>
struct Registration<R(T...)> {
    template <typename F>
    static auto of(std::string name, F f) {
        using Made = RegisteredFunction<DerivableFunction<F>>;
        Made made{{std::move(f)}, std::move(name)};
        register_block_function(
            made.name, {kDType<T>...}, kDType<R>,
            std::make_shared<const ElementFunction<NoName, Made, R, T...>>(NoName(), made));
        return made;
    }
};
/// `auto clip = register_function<double(double)>("my.clip", f)`: f for `emap`, under a name. The
/// program that loads a computation with it registers it by the same name and signature before. f may
/// be made by `with_derivative`. Throws `FormatError` for a name that is empty or taken, or ends in `/`
/// and digits: those are names of derivatives.
template <typename Signature, typename F>
auto register_function(std::string name, F f) {
    return Registration<Signature>::of(std::move(name), std::move(f));
}

/// Makes a reducer known. Throws `FormatError` naming it if the name is empty or taken.
PURVIEW_EXPORT void register_own_reducer(std::string_view name, const FunctionReducer& reducer);
/// `auto digest = register_reducer("my.digest", reducer<double>(…))`: the same reducer, which is saved
/// under the name, and loaded by a program that registers it before. Throws `FormatError` for a name that
/// is empty or taken.
template <typename T, typename R, NanRule rule, typename Functions>
OwnReducer<T, R, rule, Functions>
register_reducer(std::string_view name, const OwnReducer<T, R, rule, Functions>& reducer) {
    register_own_reducer(name, reducer.functions());
    return reducer;
}

} // namespace purview
