/// xtensor's arrays, into ours.

#include "../doors.hpp"

#include <purview/interop/foreign_types.hpp>

#include <xtensor/xtensor.hpp>

namespace {

using namespace bench;

const Cases doors_xtensor([] {
    add_door("xtensor_in", [] {
        const auto matrix = std::make_shared<xt::xtensor<double, 2>>(
            std::array<std::size_t, 2>{kDoorRows, kDoorColumns});
        fill_random(matrix->data(), kDoorSize, 1);
        return made([=] { return pv::borrow(*matrix); });
    });
});

} // namespace
