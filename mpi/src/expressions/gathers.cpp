#include "expressions/gathers.hpp"

#include "expressions/distinct.hpp"

#include "distributions/derived.hpp"
#include "distributions/distributed_elements.hpp"

#include <purview/base/errors.hpp>
#include <purview/dimensions/compose.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/expression/gather.hpp>
#include <purview/expression/graph.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <optional>

namespace purview::inline v0_1::mpi {
namespace {

/// A distribution for what has another shape than the result: in blocks, on the same grid where it has enough axes.
Distribution distribution_like(const Distribution& d, ShapeSpan shape) {
    if (std::ranges::equal(shape, d.shape())) return d;
    const index_t one = 1;
    if (shape.empty()) shape = {&one, 1}; // row-major addresses are the same
    return blocks_on(d.grid(), shape);
}

/// Elements of a row-major array of `shape` at the product of lists.
Dimensions at_lists(ShapeSpan shape, const std::vector<Distinct>& lists) {
    const Shape strides = strides_in_order(shape);
    Shape counts;
    std::vector<AxisShape> extents;
    for (const Distinct& list : lists) {
        counts.push_back(std::ssize(list.coordinates));
        extents.emplace_back(make_index_sequence(list.coordinates));
    }
    return Dimensions::raw(extents, strides, Shape(shape.size(), 0), counts);
}

/// One gather that is evaluated.
class GatherOverRanks {
public:
    GatherOverRanks(Ranks& ranks, const char* what, const Gather& gather, const Distribution& d,
                    const Graph::Evaluated& evaluated)
        : ranks_(ranks),
          what_(what),
          gather_(gather),
          evaluated_(evaluated),
          d_(distribution_like(d, gather.shape())),
          part_view_(part_view(d_, ranks.rank())) {}

    Source run(const Distribution& d) {
        // Of rank 0: its one element has another shape there.
        for (const Operand& index : gather_.indexes()) indexes_.push_back(over_part(index));
        const Operand& source = gather_.source();
        std::optional<Source> over;
        Dimensions view = source.dims;
        if (source.node->reads(Below::device)) {
            const Graph graph(what_, source, ranks_, evaluated_);
            if (const int number = graph.source_of(*source.node); number >= 0) {
                over = graph.sources()[static_cast<std::size_t>(number)];
            } else {
                const Distribution like = distribution_like(d, source.dims.max_shape());
                over = Source{nullptr, evaluated_apart(source, like), like};
                view = Dimensions::row_major(source.dims.max_shape());
            }
        }
        const bool is_product = find_followed();
        const Operand part = is_product ? by_lists(over, view) : one_by_one(over, view);
        return {&gather_, part, d_};
    }

private:
    Operand evaluated_apart(const Operand& e, const Distribution& d) const {
        Operand seen = e;
        if (e.dims.rank() == 0)
            seen.dims = dimensions::compose(Dimensions::row_major(d.shape()), e.dims);
        const Graph graph(what_, seen, ranks_, evaluated_);
        const DistributedPlan plan(ranks_, what_, graph, part_view(d, ranks_.rank()));
        std::optional<Operand> part;
        std::vector<Operand> fetched;
        collective(ranks_, what_, [&] {
            part = new_elements(what_, e.dtype(), d.local_shape());
            fetched = plan.memory(what_, graph);
        });
        collective(ranks_, what_, [&] {
            plan.run(ranks_, what_, graph, fetched, [&](const Operand& operand, const Box& box) {
                purview::assign(operand, {part->node, part_of(part->dims, box)});
            });
        });
        return *part;
    }
    /// An index as it is in this rank's part.
    Operand over_part(const Operand& index) const {
        if (index.node->reads(Below::device)) return evaluated_apart(index, d_);
        return {index.node, dimensions::compose(part_view_, index.dims)};
    }

    /// Whether each axis of the source is read along one axis of the result, another one each.
    bool find_followed() {
        const GatherAxes& axes = gather_.axes();
        std::vector<bool> taken(gather_.shape().size(), false);
        for (const GatherAxis& axis : axes) {
            int followed = -1;
            if (!axis.computed) {
                followed = static_cast<int>(axis.number);
            } else {
                const Dimensions& dims =
                    gather_.indexes()[static_cast<std::size_t>(axis.number)].dims;
                if (!dims.is_strided()) return false;
                for (int r = 0; r < dims.rank(); ++r) {
                    const auto a = static_cast<std::size_t>(r);
                    if (dims.max_shape()[a] == 1 || dims.strides()[a] == 0) continue;
                    if (followed >= 0) return false;
                    followed = r;
                }
            }
            if (followed >= 0) {
                if (taken[static_cast<std::size_t>(followed)]) return false;
                taken[static_cast<std::size_t>(followed)] = true;
            }
            followed_.push_back(followed);
        }
        return true;
    }

    /// Values of an index in [-n, n), as coordinates.
    Indexes coordinates(const Operand& index, std::size_t axis) const {
        Indexes values(static_cast<std::size_t>(index.dims.size()));
        read_all(index, values.data());
        const index_t extent = gather_.source().dims.max_shape()[axis];
        for (index_t& value : values) {
            if (value < -extent || value >= extent) {
                const GatherAxis& named = gather_.axes()[axis];
                const std::string name =
                    !named.name.empty()
                        ? named.name
                        : fmt::format("axis {}",
                                      named.shown >= 0 ? named.shown : static_cast<index_t>(axis));
                throw IndexError(fmt::format("{}: index {} is out of range for {} of size {}",
                                             gather_.what(), value, name, extent));
            }
            if (value < 0) value += extent;
        }
        return values;
    }
    /// The coordinates of the source along an axis, for positions along the axis of the part that it follows.
    Indexes along(std::size_t axis) const {
        const int followed = followed_[axis];
        const GatherAxis& read = gather_.axes()[axis];
        if (!read.computed) return d_.coordinates(ranks_.rank(), followed);
        const Operand& index = indexes_[static_cast<std::size_t>(read.number)];
        Box line{Shape(part_view_.max_shape().size(), 0), Shape(part_view_.max_shape().size(), 1)};
        if (followed >= 0)
            line.end[static_cast<std::size_t>(followed)] =
                part_view_.max_shape()[static_cast<std::size_t>(followed)];
        return coordinates({index.node, part_of(index.dims, line)}, axis);
    }

    /// Rows, columns and the like: each coordinate along an axis is fetched once.
    Operand by_lists(const std::optional<Source>& over, const Dimensions& view) {
        std::vector<Distinct> lists;
        std::vector<Fetch::Want> wants;
        std::optional<SeenPart> seen;
        const ShapeSpan shape = gather_.source().dims.max_shape();
        collective(ranks_, what_, [&] {
            if (part_view_.size() == 0) return;
            for (std::size_t a = 0; a < shape.size(); ++a) lists.push_back(distinct(along(a)));
            const Dimensions read = dimensions::compose(at_lists(shape, lists), view);
            if (!over || read.size() == 0) return;
            seen.emplace(read, over->distribution.shape());
            wants.push_back({0, seen->region()});
        });
        std::optional<Fetch> fetch;
        std::vector<Operand> fetched;
        if (over) {
            fetch.emplace(ranks_, what_, std::span(&over->distribution, 1), std::move(wants));
            collective(ranks_, what_, [&] {
                for (const Fetch::Want& want : fetch->wants())
                    fetched.push_back(new_elements(what_, gather_.dtype(), counts_of(want.region)));
            });
        }
        Operand part;
        collective(ranks_, what_, [&] {
            if (fetch) fetch->run(ranks_, what_, {&over->part, 1}, fetched, [] {});
            part = new_elements(what_, gather_.dtype(), part_view_.max_shape());
            if (part_view_.size() == 0) return;
            const Operand rows = // of the lists
                seen ? Operand{fetched[0].node, seen->view_in(fetch->wants()[0].region)}
                     : Operand{gather_.source().node,
                               dimensions::compose(at_lists(shape, lists), view)};
            purview::assign({rows.node, dimensions::compose(part_over_lists(lists), rows.dims)},
                            part);
        });
        return part;
    }
    /// The part as a view of the row-major product of lists.
    Dimensions part_over_lists(const std::vector<Distinct>& lists) const {
        const ShapeSpan shape = part_view_.max_shape();
        std::vector<AxisShape> extents(shape.begin(), shape.end());
        Shape strides(shape.size(), 0);
        index_t stride = 1;
        for (std::size_t a = lists.size(); a-- > 0; stride *= std::ssize(lists[a].coordinates)) {
            if (followed_[a] < 0) continue;
            const auto r = static_cast<std::size_t>(followed_[a]);
            strides[r] = stride;
            if (!lists[a].places.empty()) extents[r] = make_index_sequence(lists[a].places);
        }
        return Dimensions::raw(extents, strides, Shape(shape.size(), 0), shape);
    }

    /// For each element of the part the row-major index in the source.
    Indexes places_in_source() const {
        const ShapeSpan shape = gather_.source().dims.max_shape();
        const ShapeSpan part = part_view_.max_shape();
        Indexes places(static_cast<std::size_t>(part_view_.size()), 0);
        for (std::size_t a = 0; a < shape.size(); ++a) {
            const GatherAxis& axis = gather_.axes()[a];
            Indexes list;
            index_t inner = 1;
            if (axis.computed) {
                list = coordinates(indexes_[static_cast<std::size_t>(axis.number)], a);
            } else {
                list = d_.coordinates(ranks_.rank(), axis.number);
                for (std::size_t r = static_cast<std::size_t>(axis.number) + 1; r < part.size();
                     ++r)
                    inner *= part[r];
            }
            for (std::size_t i = 0; i < places.size(); ++i) {
                const auto at =
                    axis.computed ? i : i / static_cast<std::size_t>(inner) % list.size();
                places[i] = places[i] * shape[a] + list[at];
            }
        }
        return places;
    }

    /// Elements at indexes that have several axes: each is fetched once.
    Operand one_by_one(const std::optional<Source>& over, const Dimensions& view) {
        Distinct wanted;                  // addresses of the source
        std::map<int, Indexes> questions; // in the part of a rank
        Operand part;
        collective(ranks_, what_, [&] {
            part = new_elements(what_, gather_.dtype(), part_view_.max_shape());
            Indexes places = places_in_source();
            for (index_t& place : places) place = view.global_to_local(place);
            wanted = distinct(std::move(places));
            if (!over) return;
            // In the order of ranks, and then of addresses.
            const Distribution::State& state = over->distribution.state();
            const ShapeSpan shape = over->distribution.shape();
            std::vector<std::pair<int, index_t>> by_rank;
            for (const index_t address : wanted.coordinates) {
                Shape owner(shape.size(), 0);
                Shape local(shape.size(), 0);
                index_t left = address;
                for (std::size_t a = shape.size(); a-- > 0; left /= shape[a]) {
                    owner[a] = state.axes[a].owner(left % shape[a]);
                    local[a] = state.axes[a].local_of(left % shape[a]);
                }
                const int rank = state.rank_at(owner);
                const Shape extents = over->distribution.local_shape(rank);
                index_t index = 0;
                for (std::size_t a = 0; a < shape.size(); ++a)
                    index = index * extents[a] + local[a];
                questions[rank].push_back(index);
                by_rank.emplace_back(rank, std::ssize(by_rank));
            }
            std::ranges::stable_sort(by_rank, {}, &std::pair<int, index_t>::first);
            Indexes order(by_rank.size());
            for (std::size_t i = 0; i < by_rank.size(); ++i)
                order[static_cast<std::size_t>(by_rank[i].second)] = static_cast<index_t>(i);
            if (wanted.places.empty())
                wanted.places = order;
            else
                for (index_t& place : wanted.places) place = order[static_cast<std::size_t>(place)];
        });
        if (!over) { // all ranks have the source
            collective(ranks_, what_, [&] {
                Indexes addresses = wanted.places.empty() ? wanted.coordinates : wanted.places;
                if (!wanted.places.empty())
                    for (index_t& address : addresses)
                        address = wanted.coordinates[static_cast<std::size_t>(address)];
                assign_list(gather_.source().node, std::move(addresses), part);
            });
            return part;
        }
        const Operand values = answered(*over, questions);
        collective(ranks_, what_,
                   [&] { assign_list(values.node, std::move(wanted.places), part); });
        return part;
    }
    /// The elements of a node at a list of addresses, to those of a part.
    static void assign_list(const NodePtr& node, Indexes addresses, const Operand& part) {
        const index_t size = part.dims.size();
        if (size == 0) return;
        const AxisShape list = make_index_sequence(std::move(addresses));
        const index_t one = 1;
        const index_t none = 0;
        purview::assign({node, Dimensions::raw({&list, 1}, {&one, 1}, {&none, 1}, {&size, 1})},
                        {part.node, Dimensions::row_major({&size, 1})});
    }
    /// What ranks have at the row-major indexes of their parts that this one asks for, one rank after the other.
    Operand answered(const Source& over, const std::map<int, Indexes>& questions) {
        std::vector<Asked> asked;
        const index_t bytes = gather_.dtype().size_bytes();
        index_t count = 0;
        collective(ranks_, what_, [&] {
            for (const auto& [rank, indexes] : questions) {
                Asked& question = asked.emplace_back();
                question.rank = rank;
                question.bytes.resize(indexes.size() * sizeof(index_t));
                std::ranges::copy(std::as_bytes(std::span(indexes)), question.bytes.begin());
                count += std::ssize(indexes);
            }
        });
        const std::vector<Asked> heard = ranks_.ask(what_, std::move(asked), Carries::nothing);
        std::vector<std::vector<std::byte>> answers(heard.size());
        std::vector<Outgoing> out;
        std::vector<Incoming> in;
        Operand values;
        collective(ranks_, what_, [&] {
            values = new_elements(what_, gather_.dtype(), {&count, 1});
            for (std::size_t i = 0; i < heard.size(); ++i) {
                Indexes indexes(heard[i].bytes.size() / sizeof(index_t));
                std::ranges::copy(heard[i].bytes,
                                  std::as_writable_bytes(std::span(indexes)).begin());
                for (const index_t index : indexes)
                    if (index < 0 || index >= over.part.dims.size())
                        throw DistributionError("a question beyond what there is");
                answers[i].resize(indexes.size() * static_cast<std::size_t>(bytes));
                const index_t size = std::ssize(indexes);
                const AxisShape list = make_index_sequence(std::move(indexes));
                const index_t one = 1;
                const index_t none = 0;
                read_all(
                    seen_through(Dimensions::raw({&list, 1}, {&one, 1}, {&none, 1}, {&size, 1}),
                                 over.part),
                    answers[i].data());
                out.push_back({heard[i].rank, answers[i].data(), std::ssize(answers[i])});
            }
            auto* to = count == 0
                           ? nullptr
                           : static_cast<std::byte*>(leaf_of(values)->writable_memory().data);
            for (const auto& [rank, indexes] : questions) {
                in.push_back({rank, to, std::ssize(indexes) * bytes});
                to += std::ssize(indexes) * bytes;
            }
        });
        ranks_.exchange(what_, out, in, Carries::elements);
        return values;
    }

    Ranks& ranks_;
    const char* what_;
    const Gather& gather_;
    const Graph::Evaluated& evaluated_;
    Distribution d_;
    Dimensions part_view_;
    std::vector<Operand> indexes_; ///< over the part
    std::vector<int>
        followed_; ///< the axis of the result that each axis of the source is read along; -1: none
};

} // namespace

Graph::Evaluated evaluate_gathers(Ranks& ranks, const char* what, const Graph& graph,
                                  const Distribution& d) {
    Graph::Evaluated evaluated;
    for (const Node* const node : graph.nodes())
        if (const Gather* const gather = node_as<Gather>(*node);
            gather != nullptr && gather->reads(Below::device))
            evaluated.emplace(node, GatherOverRanks(ranks, what, *gather, d, evaluated).run(d));
    return evaluated;
}

} // namespace purview
