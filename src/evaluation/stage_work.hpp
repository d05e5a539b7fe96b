#pragma once

#include <purview/evaluation/compiled.hpp>

#include <memory>
#include <string>

namespace purview::inline v0_1 {

/// What one stage of a program computes: elements over placeholders.
class StageWork {
public:
    StageWork() = default;
    StageWork(const StageWork&) = delete;
    StageWork& operator=(const StageWork&) = delete;
    virtual ~StageWork() = default;

    /// As `Compiled::run`, to one destination. A loop or a choice has one for its own element, and then one
    /// for each result; what is not wanted goes to `nowhere`.
    virtual void run(Bindings bindings, std::span<const Destination> outs) const = 0;
    /// How `run` would do it, in lines, for results in the place of what it reads. Prepares what that
    /// run would prepare; reads and computes nothing.
    virtual std::string describe(Bindings bindings) const = 0;
};

/// The elements of a view.
std::unique_ptr<const StageWork> view_work(const Operand& view);
/// The elements of a computed node in its own order.
std::unique_ptr<const StageWork> node_work(const Node& node);

} // namespace purview
