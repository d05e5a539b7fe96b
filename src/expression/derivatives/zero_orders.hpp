#pragma once

#include "expression/node_map.hpp"

#include <purview/expression/node.hpp>

#include <vector>

namespace purview::inline v0_1::derivatives {

/// How the nodes of a graph vanish: which are sums of terms that are nowhere negative, of which each is
/// 0 as a power of something is, such as sums of squares. The root of one is a norm, of which the
/// derivative at 0 is 0. Made when first asked; O(nodes).
class ZeroOrders {
public:
    /// Of the nodes of `order`, operands before their users, those in `depends` being what
    /// derivatives are carried through. Both must outlive it.
    ZeroOrders(const std::vector<const Node*>& order, const NodeSet& depends)
        : order_(order), depends_(depends) {}

    /// The power to which `node` vanishes: 2 for a sum of squares, 0 where it is no such sum, infinite
    /// for what is nowhere negative and has no part in where the sum is 0.
    double operator()(const Node& node) const;

    /// Whether `node` to the power of `exponent` is a norm.
    bool is_norm(const Node& node, double exponent) const;

private:
    double known(const Node& node) const;
    double made(const Node& node) const;

    const std::vector<const Node*>& order_;
    const NodeSet& depends_;
    mutable NodeMap<double> orders_; ///< those that are not 0
    mutable bool is_made_ = false;
};

} // namespace purview::derivatives
