#pragma once

#include "memory_file.hpp"

#include <purview/expression/graph.hpp>
#include <purview/expression/loop.hpp>
#include <purview/functional/applied/saved.hpp>
#include <purview/purview.hpp>

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace fuzz {

namespace pv = purview;
using pv::index_t;

constexpr index_t kMostElements = 512;    ///< of each node and operand of what is run
constexpr index_t kMostInAll = 100'000;   ///< of all of them
constexpr std::size_t kMostNodes = 2'000; ///< nodes of what is run

/// The functions that the seeds name.
inline void register_functions() {
    static const auto half =
        pv::register_function<double(double)>("golden.half", [](double v) { return v / 2; });
    static const auto slope =
        pv::register_function<double(double)>("golden.slope", [](double) { return 0.5; });
}

/// Nothing but a `FormatError` is thrown.
inline std::optional<pv::AnyComputation> load(std::string_view saved) {
    try {
        return pv::computation_from(saved);
    } catch (const pv::FormatError&) {
        return std::nullopt;
    }
}

/// What may still be computed, in elements: those of a function as often as it is called.
class Allowance {
public:
    bool covers(const pv::TracedOutputs& graph, index_t times) {
        const auto nodes = pv::nodes_below(graph.outputs);
        if (nodes.size() > kMostNodes) return false;
        for (const pv::NodePtr& placeholder : graph.placeholders)
            if (!covers(pv::size_of(*placeholder), times)) return false;
        for (const pv::Operand& output : graph.outputs)
            if (!covers(output.dims.size(), times)) return false;
        for (const pv::Node* const node : nodes) {
            if (!covers(pv::size_of(*node), times) || !covers_functions(*node, times)) return false;
            for (const pv::Operand& operand : pv::operands_of(*node)) {
                if (!covers(operand.dims.size(), times)) return false;
                // An element of an outer layer may be one of several layers.
                if (operand.dims.layer_count() > 8) return false;
            }
        }
        return true;
    }

private:
    bool covers(index_t size, index_t times) {
        if (size > kMostElements || times > rest_) return false;
        rest_ -= (size + 1) * times;
        return rest_ >= 0;
    }
    bool covers_functions(const pv::Node& node, index_t times) {
        if (const auto* const loop = pv::node_as<pv::Loop>(node)) {
            const pv::LoopRule& rule = loop->rule();
            if (rule.most > kMostInAll || !covers_results(node, times)) return false;
            const index_t steps = std::max<index_t>(times * rule.most, 1);
            return covers(*rule.step, steps) &&
                   (rule.condition == nullptr || covers(*rule.condition, steps));
        }
        if (const auto* const choice = pv::node_as<pv::Choice>(node))
            return covers_results(node, times) && covers(*choice->functions()[0], times) &&
                   covers(*choice->functions()[1], times);
        return true;
    }
    bool covers_results(const pv::Node& source, index_t times) {
        for (std::size_t i = 0; i < pv::result_count(source); ++i)
            if (!covers(pv::Dimensions::row_major(pv::result_type(source, i).shape).size(), times))
                return false;
        return true;
    }

    index_t rest_ = kMostInAll;
};

/// Whether it is so small that it may be run.
inline bool is_small(const pv::TracedOutputs& program) { return Allowance().covers(program, 1); }

/// The outputs for arguments that are zeros, as bytes; nothing where the call throws.
inline std::optional<std::string> run(const pv::AnyComputation& c,
                                      const pv::TracedOutputs& program) {
    std::vector<pv::AnyTensor> zeros;
    for (const pv::NodePtr& placeholder : program.placeholders) {
        const auto each = pv::AnyTensor::writable(
            pv::results_like("fuzz", {pv::constant_operand(0.).node, pv::Dimensions()},
                             placeholder->dtype(), pv::shape_of(*placeholder)));
        const auto size = static_cast<std::size_t>(each.size_bytes());
        if (size > 0) std::memset(pv::leaf_of(each.operand())->writable_memory().data, 0, size);
        zeros.push_back(each);
    }
    return tried([&] {
        std::string bytes;
        for (const pv::AnyTensor& output : c(zeros)) {
            const auto size = static_cast<std::size_t>(output.size_bytes());
            bytes.resize(bytes.size() + size);
            if (size > 0) pv::read_all(output.operand(), bytes.data() + bytes.size() - size);
        }
        return bytes;
    });
}

/// What is loaded is saved, as bytes and as text, and loaded from them as the same; it runs as the
/// same, if it is small.
inline void check_saved(std::string_view input) {
    pv::set_threads(1);
    register_functions();
    const auto loaded = load(input);
    if (!loaded) return;
    const std::string bytes = pv::computation_bytes(*loaded);
    const std::string text = pv::computation_text(*loaded);
    const auto from_bytes = load(bytes);
    const auto from_text = load(text);
    require(from_bytes && from_text, "what was saved is loaded");
    require(pv::computation_bytes(*from_bytes) == bytes, "bytes give the same bytes");
    require(pv::computation_bytes(*from_text) == bytes, "text gives the same bytes");
    require(pv::computation_text(*from_bytes) == text, "bytes give the same text");
    require(pv::computation_text(*from_text) == text, "text gives the same text");
    for (const pv::TracedOutputs& program : loaded->function()->traced()) {
        if (!is_small(program)) return;
        try {
            require(run(*loaded, program) == run(*from_text, program), "both run as the same");
        } catch (const std::bad_alloc&) {}
    }
    static_cast<void>(tried([&] {
        std::ostringstream out;
        out << *loaded;
        return out.str();
    }));
}

} // namespace fuzz
