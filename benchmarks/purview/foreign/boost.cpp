/// Boost's arrays, into ours.

#include "../doors.hpp"

#include <purview/interop/foreign_types.hpp>

#include <boost/multi_array.hpp>

namespace {

using namespace bench;

const Cases doors_boost([] {
    add_door("boost_in", [] {
        const auto matrix = std::make_shared<boost::multi_array<double, 2>>(
            boost::extents[kDoorRows][kDoorColumns]);
        fill_random(matrix->data(), kDoorSize, 1);
        return made([=] { return pv::borrow(*matrix); });
    });
});

} // namespace
