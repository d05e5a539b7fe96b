#include <support/catch.hpp>

#include <purview/interop/foreign_types.hpp>
#include <purview/interop/foreign_views.hpp>
#include <purview/purview.hpp>

#include <Eigen/Core>
#include <unsupported/Eigen/CXX11/Tensor>

#include <complex>
#include <utility>

namespace foreign_eigen_test {

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

using RowMajor = Eigen::Matrix<double, -1, -1, Eigen::RowMajor>;
using AnyStride = Eigen::Stride<-1, -1>;
template <typename Plain>
using Strided = Eigen::Map<Plain, 0, AnyStride>;

/// 10 i + j, in whatever form.
template <typename M>
M numbered(index_t rows, index_t columns) {
    M m(rows, columns);
    for (index_t i = 0; i < rows; ++i)
        for (index_t j = 0; j < columns; ++j)
            m(i, j) = typename M::Scalar(static_cast<float>(10 * i + j));
    return m;
}

/// Borrowed, it has the type, the shape and the elements of `m`, at the same addresses.
template <bool writable, typename M>
void check_borrowed(M& m) {
    const auto t = pv::borrow(m);
    using T = typename M::Scalar;
    STATIC_REQUIRE(
        std::is_same_v<decltype(t),
                       const std::conditional_t<writable, pv::MutableTensor<T>, pv::Tensor<T>>>);
    if constexpr (M::IsVectorAtCompileTime) {
        REQUIRE(t.shape() == pv::Shape{m.size()});
        for (index_t i = 0; i < m.size(); ++i) CHECK(t(i) == m(i));
    } else {
        REQUIRE(t.shape() == pv::Shape{m.rows(), m.cols()});
        for (index_t i = 0; i < m.rows(); ++i)
            for (index_t j = 0; j < m.cols(); ++j) CHECK(t(i, j) == m(i, j));
    }
    if (m.size() > 0)
        CHECK(pv::describe(t).pointer == const_cast<void*>(static_cast<const void*>(m.data())));
}

} // namespace

TEST_CASE("Eigen's matrices, arrays and vectors are borrowed as they lie") {
    auto m = numbered<Eigen::MatrixXd>(3, 4);
    const auto c = m;
    check_borrowed<true>(m);
    check_borrowed<false>(c);
    auto r = numbered<RowMajor>(3, 4);
    check_borrowed<true>(r);
    auto fixed = numbered<Eigen::Matrix<float, 2, 3>>(2, 3);
    check_borrowed<true>(fixed);
    Eigen::ArrayXXi a = numbered<Eigen::MatrixXi>(2, 5).array();
    check_borrowed<true>(a);
    Eigen::VectorXd v = m.col(1);
    check_borrowed<true>(v);
    Eigen::RowVector3f w(1, 2, 3);
    check_borrowed<true>(w);
    auto z = numbered<Eigen::MatrixXcd>(2, 2);
    check_borrowed<true>(z);
    Eigen::MatrixXd none(0, 3);
    check_borrowed<true>(none);
    Eigen::VectorXd nothing;
    check_borrowed<true>(nothing);

    pv::borrow(m)(1, 2) = -1;
    CHECK(m(1, 2) == -1);
}

TEST_CASE("What Eigen sees of a matrix in place is borrowed with its strides") {
    auto m = numbered<Eigen::MatrixXd>(5, 6);
    const auto c = m;
    Eigen::Map<Eigen::MatrixXd> map(m.data(), 6, 5);
    check_borrowed<true>(map);
    const auto constant = map;
    check_borrowed<false>(constant);
    Eigen::Map<const RowMajor> read(m.data(), 3, 10);
    check_borrowed<false>(read);
    Strided<RowMajor> strided(m.data() + 2, 2, 3, AnyStride(5, 2));
    check_borrowed<true>(strided);
    Strided<RowMajor> back(m.data() + 29, 5, 6, AnyStride(-6, -1));
    check_borrowed<true>(back);
    Strided<RowMajor> repeated(m.data(), 4, 6, AnyStride(0, 1));
    check_borrowed<true>(repeated);
    CHECK(pv::AnyTensor(pv::borrow(repeated)).is_read_only()); // elements share addresses
    Eigen::Ref<Eigen::MatrixXd> ref = m;
    check_borrowed<true>(ref);
    Eigen::Ref<const Eigen::MatrixXd> const_ref = c;
    check_borrowed<false>(const_ref);
    Eigen::Ref<const Eigen::MatrixXd> copied = c + c; // a copy of its own
    check_borrowed<false>(copied);
    auto block = m.block(1, 2, 3, 2);
    check_borrowed<true>(block);
    auto const_block = c.block(1, 2, 3, 2);
    check_borrowed<false>(const_block);
    auto row = m.row(2);
    check_borrowed<true>(row);
    auto diagonal = m.diagonal(1);
    CHECK(pv::borrow(diagonal)(2) == m(2, 3));
    auto transposed = m.transpose();
    check_borrowed<true>(transposed);
    auto z = numbered<Eigen::MatrixXcd>(2, 3);
    auto real = z.real();
    pv::borrow(real)(1, 2) = 5;
    CHECK(z(1, 2) == std::complex<double>(5));

    // Temporaries that show what exists elsewhere.
    pv::borrow(m.row(0)) = pv::arange(6.0);
    CHECK(m(0, 5) == 5);
    pv::borrow(m.block(3, 3, 2, 2).transpose())(0, 1) = 77;
    CHECK(m(4, 3) == 77);
}

TEST_CASE("Eigen's expressions are no memory, and temporaries are not borrowed") {
    using M = Eigen::MatrixXd;
    const M m = numbered<M>(2, 2);
    [[maybe_unused]] auto sum = m + m;
    [[maybe_unused]] auto transposed_sum = (m + m).transpose();
    [[maybe_unused]] auto product = m * m;
    [[maybe_unused]] auto reversed = m.reverse();
    [[maybe_unused]] auto zero = M::Zero(2, 2);
    STATIC_REQUIRE(Borrowed<M&>);
    STATIC_REQUIRE(Borrowed<const M&>);
    STATIC_REQUIRE_FALSE(Borrowed<decltype((sum))>);
    STATIC_REQUIRE_FALSE(Borrowed<decltype((transposed_sum))>);
    STATIC_REQUIRE_FALSE(Borrowed<decltype((product))>);
    STATIC_REQUIRE_FALSE(Borrowed<decltype((reversed))>);
    STATIC_REQUIRE_FALSE(Borrowed<decltype((zero))>);
    STATIC_REQUIRE_FALSE(Borrowed<M>);
    STATIC_REQUIRE_FALSE(Borrowed<const M>);
    STATIC_REQUIRE_FALSE(Borrowed<Eigen::Ref<const M>>);

    STATIC_REQUIRE(Wrapped<M>);
    STATIC_REQUIRE_FALSE(Wrapped<M&>);
    STATIC_REQUIRE_FALSE(Wrapped<const M>);
    STATIC_REQUIRE_FALSE(Wrapped<const M&>);
    STATIC_REQUIRE_FALSE(Wrapped<Eigen::Map<M>>);
    STATIC_REQUIRE_FALSE(Wrapped<Eigen::Ref<M>>);
    STATIC_REQUIRE_FALSE(Wrapped<Eigen::Ref<const M>>);
    STATIC_REQUIRE_FALSE(Wrapped<decltype((sum))>);
    STATIC_REQUIRE_FALSE(Wrapped<Eigen::TensorMap<Eigen::Tensor<double, 2>>>);
}

TEST_CASE("What is moved in lives as long as the tensors over it") {
    auto m = numbered<Eigen::MatrixXd>(40, 50);
    const double* const memory = m.data();
    auto t = pv::wrap(std::move(m));
    CHECK(pv::describe(t).pointer == memory);
    auto row = t(3, pv::all);
    t = pv::zeros<double>({1, 1});
    CHECK(row(7) == 37);

    // Elements inside the object.
    auto small = pv::wrap(numbered<Eigen::Matrix3f>(3, 3));
    const auto view = pv::transpose(small);
    small = pv::zeros<float>({1, 1});
    CHECK(view(1, 2) == 21);
    const auto vector = pv::wrap(Eigen::Vector4d(1, 2, 3, 4));
    CHECK(pv::sum(vector) == 10);
    const auto tensor = pv::wrap(Eigen::TensorFixedSize<int, Eigen::Sizes<2, 2>>());
    CHECK(tensor.shape() == pv::Shape{2, 2});
}

TEST_CASE("Eigen's tensors are borrowed in either order") {
    Eigen::Tensor<float, 3> columns(2, 3, 4);
    Eigen::Tensor<float, 3, Eigen::RowMajor> rows(2, 3, 4);
    for (index_t i = 0; i < 2; ++i)
        for (index_t j = 0; j < 3; ++j)
            for (index_t k = 0; k < 4; ++k)
                columns(i, j, k) = rows(i, j, k) = static_cast<float>(100 * i + 10 * j + k);
    CHECK(pv::borrow(columns).shape() == pv::Shape{2, 3, 4});
    CHECK(pv::equals(pv::borrow(columns), pv::borrow(rows)));
    CHECK(pv::borrow(rows)(1, 2, 3) == 123);
    pv::borrow(columns)(1, 0, 2) = 0;
    CHECK(columns(1, 0, 2) == 0);
    STATIC_REQUIRE(std::is_same_v<decltype(pv::borrow(std::as_const(rows))), pv::Tensor<float>>);
    Eigen::TensorMap<Eigen::Tensor<float, 2>> map(columns.data(), 6, 4);
    CHECK(pv::borrow(map)(5, 3) == columns(1, 2, 3));
    Eigen::TensorMap<const Eigen::Tensor<float, 2>> read(columns.data(), 6, 4);
    STATIC_REQUIRE(std::is_same_v<decltype(pv::borrow(read)), pv::Tensor<float>>);
    Eigen::Tensor<double, 0> scalar;
    scalar() = 3;
    CHECK(pv::borrow(scalar)() == 3);
    Eigen::Tensor<double, 2> none(0, 4);
    CHECK(pv::borrow(none).shape() == pv::Shape{0, 4});
    const auto owned = pv::wrap(std::move(columns));
    CHECK(owned(1, 2, 3) == 123);

    [[maybe_unused]] auto sum = rows + rows;
    [[maybe_unused]] auto slice = rows.chip(0, 1);
    Eigen::TensorRef<Eigen::Tensor<float, 3, Eigen::RowMajor>> ref(sum);
    STATIC_REQUIRE_FALSE(Borrowed<decltype((sum))>);
    STATIC_REQUIRE_FALSE(Borrowed<decltype((slice))>);
    STATIC_REQUIRE_FALSE(Borrowed<decltype((ref))>);
}

TEST_CASE("Tensors are seen as Eigen's maps") {
    const auto t = pv::empty<double>({3, 4});
    for (index_t i = 0; i < 3; ++i)
        for (index_t j = 0; j < 4; ++j) t(i, j) = static_cast<double>(10 * i + j);
    using Rows = Eigen::Map<RowMajor>;
    using Columns = Eigen::Map<Eigen::MatrixXd>;
    auto map = pv::as_eigen<Rows>(t);
    map(1, 2) = -1;
    CHECK(t(1, 2) == -1);
    CHECK(pv::equals(pv::borrow(map), t));
    CHECK(pv::as_eigen<Columns>(pv::transpose(t))(3, 2) == 23);
    CHECK_THROWS_WITH(pv::as_eigen<Columns>(t),
                      ContainsSubstring("as_eigen: shape [3 4] with strides of [4 1] "
                                        "elements cannot be seen so"));
    CHECK_THROWS_AS(pv::as_eigen<Columns>(t), pv::ShapeError);

    // Every view that strides can say, through every type of Map that takes any.
    const pv::AnyTensor any = t;
    for (const pv::AnyTensor& view :
         {any, any(pv::range(0, 3, 2), pv::range(1, 4)),
          pv::AnyTensor::view_of(any, pv::transpose(t).operand()), any(pv::range(1, 1), pv::all),
          any(pv::range(2, 3), pv::all), any(pv::all, pv::range(1, 2)),
          pv::AnyTensor::view_of(any, pv::flip(t, 0).operand()),
          pv::AnyTensor::view_of(any, pv::flip(t, {0, 1}).operand())}) {
        auto rows = pv::as_eigen<Strided<RowMajor>>(view);
        auto columns = pv::as_eigen<Strided<Eigen::MatrixXd>>(view);
        auto read = pv::as_eigen<Strided<const Eigen::MatrixXd>>(view);
        REQUIRE(pv::Shape{rows.rows(), rows.cols()} == view.shape());
        CHECK(pv::equals(pv::borrow(rows), view));
        CHECK(pv::equals(pv::borrow(columns), view));
        CHECK(pv::equals(pv::borrow(read), view));
        CHECK(rows.sum() == columns.sum());
        CHECK(pv::sum(view.as<double>()) == rows.sum());
    }
    // Outer gaps alone, inner ones alone.
    using Outer = Eigen::Map<RowMajor, 0, Eigen::OuterStride<>>;
    CHECK(pv::as_eigen<Outer>(t(pv::all, pv::range(1, 3)))(2, 1) == 22);
    CHECK_THROWS_AS(pv::as_eigen<Outer>(t(pv::all, pv::range(0, 4, 2))), pv::ShapeError);
    using Inner = Eigen::Map<Eigen::VectorXd, 0, Eigen::InnerStride<>>;
    CHECK(pv::as_eigen<Inner>(t(pv::all, 1)).sum() == 1 + 11 + 21);
    CHECK(pv::as_eigen<Eigen::Map<Eigen::RowVectorXd>>(t(0, pv::all)).cols() == 4);
    using Second = Eigen::Map<Eigen::VectorXd, 0, Eigen::InnerStride<2>>;
    CHECK(pv::as_eigen<Second>(t(2, pv::range(0, 4, 2)))(1) == 22);
    CHECK_THROWS_AS(pv::as_eigen<Second>(t(2, pv::all)), pv::ShapeError);
    CHECK_THROWS_AS(pv::as_eigen<Eigen::Map<Eigen::VectorXd>>(t(pv::all, 1)), pv::ShapeError);

    CHECK_THROWS_WITH(pv::as_eigen<Eigen::Map<Eigen::VectorXd>>(t),
                      ContainsSubstring("has rank 2, and the view 1"));
    CHECK_THROWS_WITH((pv::as_eigen<Eigen::Map<Eigen::Matrix<double, 4, -1>>>(
                          pv::transpose(t)(pv::range(1, 4), pv::all))),
                      ContainsSubstring("fixed extents"));
    CHECK_THROWS_AS(pv::as_eigen<Eigen::Map<Eigen::MatrixXf>>(t), pv::DtypeError);
    CHECK_THROWS_AS(pv::as_eigen<Rows>(pv::Tensor<double>(t)), pv::ReadOnlyError);
    CHECK(pv::as_eigen<Eigen::Map<const RowMajor>>(pv::Tensor<double>(t))(2, 3) == 23);
    CHECK_THROWS_WITH(pv::as_eigen<Eigen::Map<const RowMajor>>(t + 1),
                      ContainsSubstring("computed"));
    CHECK_THROWS_AS(pv::as_eigen<Eigen::Map<const RowMajor>>(pv::rotate(t, {1, 0})),
                    pv::ShapeError);

    // Alignment, of elements and as a Map asks for it.
    alignas(64) char bytes[80] = {};
    const pv::AnyTensor odd = pv::borrow(pv::MemoryDescriptor{
        .pointer = bytes + 1, .dtype = pv::float64, .shape = {4}, .strides = {8}});
    CHECK_THROWS_WITH(pv::as_eigen<Eigen::Map<const Eigen::VectorXd>>(odd),
                      ContainsSubstring("aligned elements"));
    const auto halfway = pv::borrow(reinterpret_cast<double*>(bytes + 8), {4});
    CHECK_THROWS_WITH((pv::as_eigen<Eigen::Map<Eigen::VectorXd, Eigen::Aligned16>>(halfway)),
                      ContainsSubstring("the alignment"));
    CHECK(pv::as_eigen<Eigen::Map<Eigen::VectorXd>>(halfway).size() == 4);
}

TEST_CASE("Tensors are seen as Eigen's TensorMaps") {
    const auto t = pv::empty<float>({2, 3, 4});
    pv::copy(pv::arange(24.0F) | pv::reshape({2, 3, 4}), t);
    using Rows = Eigen::TensorMap<Eigen::Tensor<float, 3, Eigen::RowMajor>>;
    using Columns = Eigen::TensorMap<Eigen::Tensor<const float, 3>>;
    pv::as_eigen<Rows>(t)(1, 2, 3) = -1;
    CHECK(t(1, 2, 3) == -1);
    CHECK(pv::as_eigen<Columns>(pv::transpose(t))(2, 1, 1) == t(1, 1, 2));
    CHECK_THROWS_WITH(pv::as_eigen<Columns>(t), ContainsSubstring("without gaps"));
    CHECK_THROWS_AS(pv::as_eigen<Rows>(t(pv::all, pv::all, pv::range(0, 2))), pv::ShapeError);
    CHECK_THROWS_AS(pv::as_eigen<Rows>(pv::Tensor<float>(t)), pv::ReadOnlyError);
    CHECK(pv::as_eigen<Rows>(t(pv::range(0, 0), pv::all, pv::all)).dimension(1) == 3);
    const auto one = pv::full({}, 5.0F);
    CHECK(pv::as_eigen<Eigen::TensorMap<Eigen::Tensor<float, 0>>>(one)() == 5);
}

} // namespace foreign_eigen_test
