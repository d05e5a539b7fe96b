/// Eigen's matrices, into and out of.

#include "../doors.hpp"

#include <purview/interop/foreign_types.hpp>
#include <purview/interop/foreign_views.hpp>

#include <Eigen/Core>

namespace {

using namespace bench;

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

const Cases doors_eigen([] {
    add_door("eigen_in", [] {
        const auto matrix = std::make_shared<Matrix>(4, 6);
        fill_random(matrix->data(), kDoorSize, 1);
        return made([=] { return pv::borrow(*matrix); });
    });
    add_door("eigen_out", [] {
        const auto t = random_tensor({4, 6}, 1);
        return Task{[=] { return pv::as_eigen<Eigen::Map<Matrix>>(t); },
                    [=] { return summary_of_matrix(pv::as_eigen<Eigen::Map<Matrix>>(t)); }};
    });
});

} // namespace
