#pragma once

#include <purview/expression/leaf.hpp>

#include "engine/copy/copy.hpp"
#include "engine/realise/chunked_assign.hpp"
#include "engine/run/direct_run.hpp"
#include "engine/run/flat_graph.hpp"
#include "engine/ways/way.hpp"

#include <cstddef>
#include <optional>
#include <variant>

namespace purview::inline v0_1::engine {

/// The assignment of a source that is a `FlatGraph`, to memory in order.
class FlatStore {
public:
    FlatStore() noexcept {} // leaves the graph indeterminate
    /// Whether `source` can be stored at `place` so. Asked once; `run` comes before the thread asks
    /// for another plan.
    bool find(const Operand& source, std::byte* place);
    void run();

private:
    FlatGraph graph_;
    std::optional<DirectRun> run_;
    std::byte* place_ = nullptr;
};

/// How a source that is read as dense is assigned to a leaf that is not sparse: decided once,
/// without reading an element; then run, or told by `explain`.
class AssignWay {
public:
    struct Nothing {};   ///< there is no element
    struct Moved {};     ///< memory to memory at once, even where they overlap
    struct Same {};      ///< each element is copied to itself
    struct Realised {};  ///< chosen anew when nodes have been realised
    struct Computed {};  ///< computed into strided memory of words
    struct InOrder {};   ///< computed into memory of other elements, one after the other
    struct Temporary {}; ///< evaluated as a whole first: a write could change what is read
    struct Written {};   ///< computed in blocks, which the destination's writer stores
    using Kind = std::variant<Nothing, ChunkedAssign, Moved, Same, CopyPlan, FlatStore, Realised,
                              Computed, InOrder, Temporary, Written>;
    /// Both have to outlive it. With `realised`, nodes that would be computed again and again have
    /// been realised.
    AssignWay(const Operand& source, const Operand& destination, Ways allowed,
              bool realised = false)
        : source_(source),
          destination_(destination),
          leaf_(*leaf_of(destination)),
          allowed_(allowed) {
        choose(realised);
    }
    AssignWay(const AssignWay&) = delete;
    AssignWay& operator=(const AssignWay&) = delete;

    const Kind& kind() const noexcept { return kind_; }
    void run();

private:
    void choose(bool realised);
    bool is_chunked();
    bool is_copied();
    bool is_flat();

    const Operand& source_;
    const Operand& destination_;
    const Leaf& leaf_;
    Ways allowed_;
    Kind kind_;
};

} // namespace purview::engine
