// NumPy: np.frombuffer(bytes, offset=1), np.array([0, 2], "u1").view(bool), as what sparse matrices are made of.

#include "sparse_support.hpp"

#include <purview/interop/descriptor.hpp>
#include <purview/sparse.hpp>
#include <support/catch.hpp>
#include <support/temporary.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace sparse_foreign_memory_test {

namespace {

namespace pv = purview;
using pv::index_t;

/// Elements one byte behind an address that fits them, in memory that lives as long as this.
template <typename T>
class AtOddAddress {
public:
    explicit AtOddAddress(const std::vector<T>& values) : room_(values.size() + 1) {
        std::memcpy(first(), values.data(), values.size() * sizeof(T));
    }
    pv::Tensor<T> tensor() {
        pv::MemoryDescriptor memory;
        memory.pointer = first();
        memory.dtype = pv::kDType<T>;
        memory.shape = pv::Shape{std::ssize(room_) - 1};
        memory.strides = pv::Shape{sizeof(T)};
        return pv::borrow(memory).as<T>();
    }

private:
    std::byte* first() { return reinterpret_cast<std::byte*>(room_.data()) + 1; }
    std::vector<T> room_;
};

template <typename M>
auto dense_of(const M& matrix) {
    return pv::to_dense(pv::sparse_tensor(matrix));
}

} // namespace

TEST_CASE("sparse matrices of elements at odd addresses copy them") {
    AtOddAddress<index_t> rows({1, 0, 1});
    AtOddAddress<index_t> columns({2, 0, 1});
    AtOddAddress<double> values({3., 1., 2.});
    AtOddAddress<index_t> pointers({0, 1, 3});
    const pv::CooMatrix<double> coo(2, 3, rows.tensor(), columns.tensor(), values.tensor());
    const auto dense = pv::tensor({{1., 0., 0.}, {0., 2., 3.}});
    CHECK(pv::equals(dense_of(pv::to_csr(coo)), dense));
    CHECK(pv::equals(pv::to_dense(pv::sparse_tensor(coo)), dense));

    AtOddAddress<index_t> ordered({0, 1, 2});
    AtOddAddress<double> in_order({1., 2., 3.});
    const pv::CsrMatrix<double> csr(2, 3, pointers.tensor(), ordered.tensor(), in_order.tensor());
    CHECK(pv::equals(dense_of(csr), dense));
    AtOddAddress<double> vector({1., 10., 100.});
    CHECK(pv::equals(pv::matmul(csr, vector.tensor()), pv::tensor({1., 320.})));
    const pv::CsrMatrix<double> unchecked(pv::CsrMatrix<double>::Unchecked{}, 2, 3,
                                          pointers.tensor(), ordered.tensor(), in_order.tensor());
    CHECK(pv::equals(dense_of(unchecked), dense));

    const temporary::Folder folder;
    for (const auto& name : {"x.npz", "y.npz"}) {
        if (std::string(name) == "x.npz")
            pv::save_npz(folder / name, coo);
        else
            pv::save_npz(folder / name, csr);
        CHECK(pv::equals(dense_of(pv::load_npz(folder / name)), dense));
    }
    pv::save_mtx(folder / "x.mtx", csr);
    CHECK(pv::equals(dense_of(pv::load_mtx(folder / "x.mtx")), dense));

    // What does not lie in order is refused, as before.
    const pv::Tensor<double> every_second = pv::zeros({6})(pv::range(0, 6, 2));
    CHECK_THROWS_AS(pv::CooMatrix<double>(2, 3, rows.tensor(), columns.tensor(), every_second),
                    pv::ShapeError);
}

TEST_CASE("sparse matrices of bools that are any byte") {
    std::vector<std::uint8_t> bytes{2, 0, 255};
    pv::MemoryDescriptor memory;
    memory.pointer = bytes.data();
    memory.dtype = pv::boolean;
    memory.shape = pv::Shape{3};
    memory.strides = pv::Shape{1};
    const pv::Tensor<bool> values = pv::borrow(memory).as<bool>();
    const pv::Tensor<index_t> rows = pv::tensor(std::vector<index_t>{1, 0, 1});
    const pv::Tensor<index_t> columns = pv::tensor(std::vector<index_t>{2, 0, 1});
    const pv::CooMatrix<bool> coo(2, 3, rows, columns, values);
    const temporary::Folder folder;
    pv::save_npz(folder / "x.npz", coo);
    const pv::CooMatrix<bool> again = pv::load_npz_coo<bool>(folder / "x.npz");
    for (const auto& matrix : {coo, again}) {
        for (const bool value : pv::as_span(matrix.values())) {
            std::uint8_t byte = 0;
            std::memcpy(&byte, &value, 1);
            CHECK(byte <= 1);
        }
        CHECK(pv::sum(dense_of(pv::to_csr(matrix))) == 2);
    }
    const auto sparse = pv::to_sparse(pv::reshape(values, {1, 3}), false);
    CHECK(pv::sum(sparse) == 2);
    CHECK(pv::sum(dense_of(pv::csr(sparse))) == 2);
}

} // namespace sparse_foreign_memory_test
