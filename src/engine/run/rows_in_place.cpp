// Defines engine/run/runner.hpp.

#include "engine/run/runner.hpp"

#include <algorithm>
#include <cstddef>

namespace purview::inline v0_1::engine {

bool Runner::run_rows(index_t begin, index_t count, std::byte* destination, index_t stride_bytes,
                      index_t first_column, index_t columns) {
    const std::size_t rank = plan_.space.rank();
    if (!plan_.rows_in_place || begin % plan_.row != 0 || count % plan_.row != 0) return false;
    const TileProgram& program = std::get<TileStep>(plan_.steps[0]).program;
    const Translated* const translated = tiles_.of_any_count(program, count);
    if (translated == nullptr) return false;
    sources_[kResult] = {destination, stride_bytes};
    const std::size_t axis = rank - 2;
    boost::container::small_vector<std::ptrdiff_t, 32> strides(program.code.size(), 0);
    for (const Patch& patch : program.arrays)
        strides[patch.instruction] = step_bytes(patch.target, axis);
    boost::container::small_vector<std::ptrdiff_t, 16> plane_steps;
    if (axis > 0)
        for (ArrayId id = 0; id < plan_.arrays.size(); ++id)
            plane_steps.push_back(step_bytes(id, axis - 1));
    for (index_t rows = count / plan_.row; rows > 0;) {
        seek(begin);
        const index_t extent = plan_.space.extents[axis];
        const index_t together = std::min(rows, extent - coordinates_[axis]);
        const index_t planes =
            axis > 0 && together == extent
                ? std::min(rows / extent, plan_.space.extents[axis - 1] - coordinates_[axis - 1])
                : 1;
        for (std::size_t i = 0; i < plan_.arrays.size(); ++i) {
            const std::uint32_t operand = plan_.arrays[i].operand;
            const index_t at = positions_[operand] + first_column * inner_stride(operand);
            places_[i] = sources_[i].first + at * sources_[i].stride_bytes;
        }
        for (index_t plane = 0; plane < planes; ++plane) {
            if (plane > 0)
                for (std::size_t i = 0; i < plane_steps.size(); ++i) places_[i] += plane_steps[i];
            translated->rows_function()(TileRun::bind(program, code_.data(), places_.data()),
                                        &tiles_.state, 0, static_cast<std::size_t>(columns),
                                        static_cast<std::size_t>(together), strides.data());
        }
        begin += planes * together * plan_.row;
        rows -= planes * together;
    }
    return true;
}

} // namespace purview::engine
