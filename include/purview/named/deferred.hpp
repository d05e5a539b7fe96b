#pragma once

#include <purview/base/reference_count.hpp>
#include <purview/dtype/dtype.hpp>
#include <purview/named/dim_operand.hpp>

#include <array>
#include <atomic>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// An operation over dims that have no size yet. It is computed once: when its elements or its
/// shape are asked for, or when all sizes are known and it becomes an operand of another operation.
/// Immutable except for that result; shared. Chains of them are computed and destroyed iteratively.
class PURVIEW_EXPORT Deferred {
public:
    Deferred(const Deferred&) = delete;
    Deferred& operator=(const Deferred&) = delete;

    DType dtype() const noexcept { return dtype_; }
    /// The number of positional axes of the result.
    int rank() const noexcept { return rank_; }
    /// Whether every Dim that the operation needs has a size.
    bool is_ready() const noexcept;
    /// The dims that had no size when the operation was made.
    std::span<const Dim> needs() const noexcept { return needs_; }

protected:
    Deferred(DType dtype, int rank, std::vector<DimOperand> operands, DimVector needs)
        : dtype_(dtype), rank_(rank), operands_(std::move(operands)), needs_(std::move(needs)) {}
    virtual ~Deferred();

    /// Computes the result. None of `operands` is deferred, and they may be moved from.
    virtual DimOperand compute(std::span<DimOperand> operands) const = 0;
    /// The index expression, "i + 1", in which `dim` indexes an axis; "" if there is none.
    virtual std::string expression_of(const Dim& dim) const;

private:
    friend PURVIEW_EXPORT void intrusive_ptr_add_ref(const Deferred* deferred) noexcept;
    friend PURVIEW_EXPORT void intrusive_ptr_release(const Deferred* deferred) noexcept;
    friend PURVIEW_EXPORT DimOperand settled(const DimOperand& x);

    /// Held while the result is copied. (Public headers do without <mutex>, which takes long to
    /// compile.)
    class Lock {
    public:
        void lock() noexcept;
        void unlock() noexcept;

    private:
        std::atomic_flag taken_;
    };

    void require_size(const Dim& dim) const;
    bool is_settled() const;
    DimOperand result() const;
    void settle() const;

    mutable ReferenceCount references_;
    mutable const Deferred* next_dead_ = nullptr;
    DType dtype_;
    int rank_;
    std::vector<DimOperand> operands_;
    DimVector needs_;
    mutable Lock lock_;
    mutable DimOperand result_;
};

/// The operand, computed if it was deferred. Throws `DimError` naming a Dim that has no size yet.
PURVIEW_EXPORT DimOperand settled(const DimOperand& x);

/// Computes the deferred operands that are ready. Returns false if one remains that is not.
PURVIEW_EXPORT bool settle_ready(std::span<DimOperand> operands);

/// The dims without a size that deferred ones of several operands wait for.
PURVIEW_EXPORT DimVector needs_of(std::span<const DimOperand> operands);
/// The union of the dims of several operands.
PURVIEW_EXPORT DimVector joined_dims(std::span<const DimOperand* const> operands);
/// The largest number of positional axes of several operands.
PURVIEW_EXPORT int largest_rank(std::span<const DimOperand* const> operands) noexcept;
inline int rank_of(const DimOperand& x) noexcept {
    return x.is_deferred() ? x.deferred->rank() : x.operand.dims.rank() - x.dim_count();
}

/// A deferred call of a function with operands.
template <typename Compute>
class DeferredCall final : public Deferred {
public:
    DeferredCall(DType dtype, int rank, std::vector<DimOperand> operands, DimVector needs,
                 Compute compute)
        : Deferred(dtype, rank, std::move(operands), std::move(needs)),
          compute_(std::move(compute)) {}

private:
    DimOperand compute(std::span<DimOperand> operands) const override { return compute_(operands); }
    std::string expression_of(const Dim& dim) const override {
        if constexpr (requires { compute_.expression_of(dim); })
            return compute_.expression_of(dim);
        else
            return Deferred::expression_of(dim);
    }

    Compute compute_;
};

/// Defers `compute(operands)`, whose result is over `dims` and has `rank` positional axes, until
/// all of `needs` have sizes.
template <typename Compute>
DimOperand defer(DType dtype, DimVector dims, int rank, std::vector<DimOperand> operands,
                 DimVector needs, Compute compute) {
    DimOperand result;
    result.dims = std::move(dims);
    result.deferred = IntrusivePointer<const Deferred>(
        new DeferredCall<Compute>(dtype, rank, std::move(operands), std::move(needs),
                                  std::move(compute)),
        false);
    return result;
}

} // namespace purview
