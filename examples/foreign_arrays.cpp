/// Arrays of other libraries as tensors, and tensors as theirs, without a copy: Eigen's here, and those of the others alike.
/// docs/interop.md shows parts of this file.

#include "check.hpp"

#include <purview/interop/foreign_types.hpp>
#include <purview/interop/foreign_views.hpp>
#include <purview/purview.hpp>

#include <Eigen/Core>

#include <utility>

namespace pv = purview;

namespace {

void take_in() {
    // [take-in]
    Eigen::MatrixXd m = Eigen::MatrixXd::Zero(2, 3);
    auto t = pv::borrow(m);             // a MutableTensor<double> of shape [2 3]
    t(1, pv::all) = pv::arange(3.0);    // m(1, 2) is 2
    auto row = pv::borrow(m.row(1));    // a block of it: shape [3], a stride of 2
    auto kept = pv::wrap(std::move(m)); // moved in: it lives as long as a tensor over it
    // [/take-in]
    check(kept(1, 2) == 2 && kept.shape() == pv::Shape{2, 3}, "what was moved in");
    check(pv::sum(row) == 3, "the row");
}

void give_back() {
    // [give-back]
    using Matrix = Eigen::Matrix<double, -1, -1, Eigen::RowMajor>;
    using AnyStride = Eigen::Stride<-1, -1>;
    auto t = pv::zeros<double>({4, 6});
    auto whole = pv::as_eigen<Eigen::Map<Matrix>>(t);
    auto part = pv::as_eigen<Eigen::Map<Matrix, 0, AnyStride>>(t(pv::all, pv::range(0, 6, 2)));
    part.setOnes(); // t(3, 4) is 1

    check_throws<pv::ShapeError>(
        [&] { pv::as_eigen<Eigen::Map<Eigen::MatrixXd>>(t); }, // column-major without gaps
        "the strides of its type");
    // [/give-back]
    check(whole.sum() == 12 && t(3, 4) == 1, "the ones");
}

} // namespace

int main() {
    take_in();
    give_back();
    return exit_status();
}
