#include "evaluation/loops/compiled_graphs.hpp"

#include "evaluation/share_nodes.hpp"

#include <algorithm>
#include <cstddef>
#include <list>
#include <mutex>

namespace purview::inline v0_1 {
namespace {

constexpr std::size_t kMostGraphs = 32;

class CompiledGraphs {
public:
    std::shared_ptr<const Program> program_of(const SharedGraph& graph) {
        const std::size_t hash = hash_of(*graph);
        if (auto found = find(hash, *graph)) return found;
        // Without the lock, as compiling evaluates what is constant.
        auto made = std::make_shared<const Program>(graph->outputs, graph->placeholders);
        const std::lock_guard lock(mutex_);
        if (entries_.size() == kMostGraphs) entries_.pop_back();
        entries_.push_front({hash, graph, made});
        return made;
    }

private:
    struct Entry {
        std::size_t hash;
        SharedGraph graph;
        std::shared_ptr<const Program> program;
    };

    std::shared_ptr<const Program> find(std::size_t hash, const TracedOutputs& graph) {
        const std::lock_guard lock(mutex_);
        const auto found = std::ranges::find_if(entries_, [&](const Entry& entry) {
            return entry.hash == hash && are_same_graphs(*entry.graph, graph);
        });
        if (found == entries_.end()) return nullptr;
        entries_.splice(entries_.begin(), entries_, found); // the last used is the first
        return found->program;
    }

    std::mutex mutex_;
    std::list<Entry> entries_;
};

} // namespace

std::shared_ptr<const Program> compiled(const SharedGraph& graph) {
    static CompiledGraphs graphs;
    return graphs.program_of(graph);
}

} // namespace purview
