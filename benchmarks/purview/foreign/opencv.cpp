/// OpenCV's matrices, into and out of.

#include "../doors.hpp"

#include <purview/interop/foreign_types.hpp>
#include <purview/interop/foreign_views.hpp>

#include <opencv2/core.hpp>

namespace {

using namespace bench;

const Cases doors_opencv([] {
    add_door("opencv_in", [] {
        const auto matrix = std::make_shared<cv::Mat>(4, 6, CV_64F);
        fill_random(matrix->ptr<double>(), kDoorSize, 1);
        return made_any([=] { return pv::borrow(*matrix); });
    });
    add_door("opencv_out", [] {
        const auto t = random_tensor({4, 6}, 1);
        return Task{[=] { return pv::as_cv_mat<cv::Mat>(t); },
                    [=] {
                        const auto matrix = pv::as_cv_mat<cv::Mat>(t);
                        return summary_of(matrix.ptr<double>(), kDoorSize);
                    }};
    });
});

} // namespace
