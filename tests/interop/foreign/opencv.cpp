#include <support/catch.hpp>

#include <purview/dtype/half.hpp>
#include <purview/interop/foreign_types.hpp>
#include <purview/interop/foreign_views.hpp>
#include <purview/purview.hpp>

#include <opencv2/core.hpp>

#include <cstdint>
#include <utility>

namespace foreign_opencv_test {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using pv::index_t;

namespace {

template <typename X>
concept Borrowed = requires(X&& x) {
    pv::borrow(std::forward<X>(x));
};
template <typename X>
concept Wrapped = requires(X&& x) {
    pv::wrap(std::forward<X>(x));
};

/// 10 i + j.
cv::Mat numbered(int rows, int columns) {
    cv::Mat m(rows, columns, CV_32S);
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) m.at<int>(i, j) = 10 * i + j;
    return m;
}

} // namespace

TEST_CASE("A cv::Mat is borrowed with its steps, its channels the last axis") {
    cv::Mat m = numbered(4, 5);
    const auto t = pv::borrow(m).as_mutable<int>();
    CHECK(t.shape() == pv::Shape{4, 5});
    t(2, 3) = -1;
    CHECK(m.at<int>(2, 3) == -1);
    const cv::Mat& constant = m;
    CHECK(pv::borrow(constant).is_read_only());

    cv::Mat part = m(cv::Rect(1, 2, 3, 2)); // x, y, width, height
    REQUIRE_FALSE(part.isContinuous());
    CHECK(pv::to_vector(pv::borrow(part).as<int>()) == std::vector{21, 22, -1, 31, 32, 33});
    CHECK(pv::to_vector(pv::borrow(m).as<int>()(pv::all, 1)) == std::vector{1, 11, 21, 31});
    cv::Mat column = m.col(4);
    CHECK(pv::borrow(column).shape() == pv::Shape{4, 1});

    cv::Mat image(3, 4, CV_8UC3, cv::Scalar(1, 2, 3));
    image.at<cv::Vec3b>(2, 1)[2] = 9;
    const auto pixels = pv::borrow(image).as<std::uint8_t>();
    CHECK(pixels.shape() == pv::Shape{3, 4, 3});
    CHECK(pixels(2, 1, 2) == 9);
    cv::Mat region = image(cv::Rect(1, 1, 2, 2));
    CHECK(pv::borrow(region).as<std::uint8_t>()(1, 0, 2) == 9);

    const int sizes[] = {2, 3, 4};
    cv::Mat cube(3, sizes, CV_64F, cv::Scalar(0.5));
    CHECK(pv::borrow(cube).shape() == pv::Shape{2, 3, 4});
    CHECK(pv::sum(pv::borrow(cube).as<double>()) == 12);
    cv::Mat half(2, 2, CV_16F);
    CHECK(pv::borrow(half).dtype() == pv::float16);
    cv::Mat nothing;
    CHECK(pv::borrow(nothing).shape() == pv::Shape{0, 0});
    cv::Mat_<float> typed(2, 2, 1.0F);
    CHECK(pv::sum(pv::borrow(typed).as<float>()) == 4);

    STATIC_REQUIRE_FALSE(Borrowed<cv::MatExpr&>);
    STATIC_REQUIRE_FALSE(Borrowed<cv::UMat&>);
    STATIC_REQUIRE_FALSE(Borrowed<cv::Mat>);
    STATIC_REQUIRE(Wrapped<cv::Mat>);
    STATIC_REQUIRE_FALSE(Wrapped<cv::Mat&>);
    STATIC_REQUIRE_FALSE(Wrapped<const cv::Mat>);
}

TEST_CASE("A cv::Mat is adopted if it owns its memory") {
    cv::Mat m = numbered(4, 5);
    auto part = pv::wrap(m(cv::Rect(1, 1, 2, 2))).as_mutable<int>();
    auto whole = pv::wrap(std::move(m)).as_mutable<int>();
    part(0, 0) = -7;
    CHECK(whole(1, 1) == -7); // both own the pixels
    whole = pv::zeros<int>({1, 1});
    CHECK(part(1, 1) == 22);

    float memory[4] = {1, 2, 3, 4};
    cv::Mat foreign(2, 2, CV_32F, memory);
    CHECK(pv::sum(pv::borrow(foreign).as<float>()) == 10);
    CHECK_THROWS_WITH(pv::wrap(std::move(foreign)),
                      ContainsSubstring("does not own its memory") && ContainsSubstring("clone()"));
    CHECK(pv::wrap(cv::Mat()).shape() == pv::Shape{0, 0});
}

TEST_CASE("Tensors are seen as cv::Mats") {
    const auto t = pv::empty<float>({3, 4});
    for (index_t i = 0; i < 3; ++i)
        for (index_t j = 0; j < 4; ++j) t(i, j) = static_cast<float>(10 * i + j);
    cv::Mat m = pv::as_cv_mat<cv::Mat>(t);
    REQUIRE(m.type() == CV_32F);
    m.at<float>(1, 2) = -1;
    CHECK(t(1, 2) == -1);
    CHECK(pv::equals(pv::borrow(m), t));
    cv::Mat part = pv::as_cv_mat<cv::Mat>(t(pv::range(0, 3, 2), pv::range(1, 3)));
    REQUIRE_FALSE(part.isContinuous());
    CHECK(part.at<float>(1, 1) == 22);
    CHECK(cv::sum(part)[0] == 1 + 2 + 21 + 22);
    cv::Mat column = pv::as_cv_mat<cv::Mat>(t(pv::all, 3));
    CHECK((column.rows == 3 && column.cols == 1 && column.at<float>(2) == 23));
    CHECK(cv::sum(column)[0] == 3 + 13 + 23);
    cv::Mat one_column = pv::as_cv_mat<cv::Mat>(t(pv::all, pv::range(1, 2)));
    CHECK((one_column.cols == 1 && one_column.at<float>(2, 0) == 21));
    CHECK(pv::as_cv_mat<cv::Mat>(t(pv::range(0, 0), pv::all)).empty());

    const auto pixels = pv::zeros<std::uint8_t>({5, 6, 3});
    pixels(4, 5, 1) = 8;
    cv::Mat image = pv::as_cv_mat<cv::Mat>(pixels, pv::LastAxis::channels);
    REQUIRE(image.type() == CV_8UC3);
    CHECK(image.at<cv::Vec3b>(4, 5)[1] == 8);
    CHECK(pv::equals(pv::borrow(image), pixels));
    cv::Mat region =
        pv::as_cv_mat<cv::Mat>(pixels(pv::range(3, 5), pv::range(4, 6)), pv::LastAxis::channels);
    CHECK(region.at<cv::Vec3b>(1, 1)[1] == 8);
    cv::Mat cube = pv::as_cv_mat<cv::Mat>(pixels);
    CHECK((cube.dims == 3 && cube.size[2] == 3));
    CHECK(cube.at<std::uint8_t>(4, 5, 1) == 8);

    const auto refused = [](const pv::AnyTensor& x, pv::LastAxis last, const char* needs) {
        CHECK_THROWS_WITH(pv::as_cv_mat<cv::Mat>(x, last), ContainsSubstring(needs));
        CHECK_THROWS_AS(pv::as_cv_mat<cv::Mat>(x, last), pv::ShapeError);
    };
    const pv::AnyTensor any = t;
    refused(pv::AnyTensor::view_of(any, pv::transpose(t).operand()), pv::LastAxis::axis,
            "row-major");
    refused(pv::AnyTensor::view_of(any, pv::flip(t, 0).operand()), pv::LastAxis::axis, "row-major");
    refused(any(pv::all, pv::range(0, 4, 2)), pv::LastAxis::axis, "without gaps");
    refused(pixels(pv::all, pv::range(0, 6, 2), pv::all), pv::LastAxis::channels, "without gaps");
    refused(pixels(pv::all, pv::all, pv::range(0, 3, 2)), pv::LastAxis::channels, "channels");
    refused(pv::zeros<float>({2, 513}), pv::LastAxis::channels, "512 channels");
    refused(any(0, 0), pv::LastAxis::axis, "1 to 32 axes");
    refused(any(0, pv::all), pv::LastAxis::channels, "1 to 32 axes");
    CHECK_THROWS_AS(pv::as_cv_mat<cv::Mat>(pv::zeros<std::int64_t>({2, 2})), pv::DtypeError);
    CHECK_THROWS_AS(pv::as_cv_mat<cv::Mat>(pv::Tensor<float>(t)), pv::ReadOnlyError);
    CHECK_THROWS_WITH(pv::as_cv_mat<cv::Mat>(t + 1), ContainsSubstring("computed"));
}

} // namespace foreign_opencv_test
