#pragma once

#include <purview/evaluation/work.hpp>

#include "engine/boxes/region.hpp"
#include "engine/contract/contraction.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace purview::inline v0_1::engine {

/// A matrix product, or a batch of them, of which a factor is an expression over arrays of chunks. For one segment of
/// the summed axes after the other, what factors have there, a panel of each, is put together in memory that counts,
/// and multiplied; the products are added up in the result. Where both panels do not fit, the smaller one is held, in
/// as few parts as the limit lets, and the other one is read for each of them.
///
/// Segments end where chunks do, and what is multiplied at once depends on shapes and chunks alone, as does the order
/// in which it is added up.
class ChunkedProduct {
public:
    /// Whether it can be done so. Asked once; the source has to outlive this.
    bool find(const work::Fold& fold, const Operand& source);
    /// Sums are not divided.
    void run(std::byte* out) const;
    std::string describe() const;

private:
    struct Side {
        Operand operand; ///< from the root's coordinates
        Shape axes;      ///< its own, those with the longest strides first
        bool in_place = false;
    };
    class Panel;
    /// How many segments are taken at a time, along each axis of the root, for the factor that is held and the other.
    struct Parts {
        std::size_t held = 0;
        std::array<Shape, 2> segments;
        std::array<index_t, 2> bytes;
    };

    void find_ends();
    bool is_one_panel() const;
    std::array<std::vector<Shape>, 2> chunk_ends();
    Parts choose_parts() const;
    void fit(const Side& side, Shape& segments, index_t room) const;
    index_t bytes_of(const Side& side, ShapeSpan segments) const;
    Box box_at(ShapeSpan first, ShapeSpan counts) const;
    void multiply(const Panel& a, const Panel& b, const Box& box, bool adds, std::byte* out) const;

    const Operand* source_ = nullptr;
    std::size_t kept_ = 0; ///< axes of the result, which are the first ones
    std::array<Side, 2> sides_;
    bool one_panel_ = false;    ///< both factors are one, with other axes
    Shape counts_;              ///< of segments, along each axis of the root
    std::vector<Shape> ends_;   ///< of segments, along each axis of the root
    index_t reading_bytes_ = 0; ///< that reading takes, beside what is put together
    std::array<Shape, 2> own_;  ///< kept axes of one factor alone
    Shape steps_;               ///< axes of both factors: those of batch, then summed ones
};

} // namespace purview::engine
