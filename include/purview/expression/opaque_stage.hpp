#pragma once

#include <purview/expression/node.hpp>

#include <memory>
#include <string_view>
#include <utility>

namespace purview::inline v0_1 {

/// What an `OpaqueStage` computes: immutable.
class PURVIEW_EXPORT StageFunction {
public:
    StageFunction(const StageFunction&) = delete;
    StageFunction& operator=(const StageFunction&) = delete;
    virtual ~StageFunction();

    /// As it is printed, and named by errors.
    virtual std::string_view name() const noexcept = 0;
    virtual DType result() const noexcept = 0;
    /// How many results each group of elements has.
    virtual index_t results() const noexcept = 0;
    /// Writes the results of each of `groups` equal parts of the row-major order of an operand that
    /// has elements.
    virtual void run(const Operand& source, index_t groups, void* out) const = 0;
    /// Whether another function does the same.
    virtual bool does_same(const StageFunction& other) const noexcept = 0;

protected:
    StageFunction() = default;
};

/// A function of a whole operand in a traced computation, of which the library knows no more: it
/// has no derivatives. Its address space is the results of one group after the other.
class PURVIEW_EXPORT OpaqueStage final : public Node {
public:
    static constexpr NodeKind kKind = NodeKind::opaque;
    OpaqueStage(std::shared_ptr<const StageFunction> function, Operand operand, index_t groups)
        : Node(kKind, function->result(), Kind::computed, Below::symbol),
          function_(std::move(function)),
          operand_(std::move(operand)),
          groups_(groups) {}

    const StageFunction& function() const noexcept { return *function_; }
    const std::shared_ptr<const StageFunction>& shared_function() const noexcept {
        return function_;
    }
    const Operand& operand() const noexcept { return operand_; }
    index_t groups() const noexcept { return groups_; }
    index_t size() const noexcept { return groups_ * function_->results(); }

    void read(const Dimensions& view, index_t begin, index_t count, void* out) const final;

private:
    std::shared_ptr<const StageFunction> function_;
    Operand operand_;
    index_t groups_;
};

} // namespace purview
