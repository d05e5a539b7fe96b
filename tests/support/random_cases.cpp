#include <support/expect_same.hpp>
#include <support/random_operation.hpp>
#include <support/random_source.hpp>
#include <support/random_view.hpp>
#include <support/writable_view.hpp>

namespace oracle {

template Twin<std::int16_t> random_source(Random&, const Coordinates&);
template Twin<std::int32_t> random_source(Random&, const Coordinates&);
template Twin<std::int64_t> random_source(Random&, const Coordinates&);
template Twin<std::uint8_t> random_source(Random&, const Coordinates&);
template Twin<float> random_source(Random&, const Coordinates&);
template Twin<double> random_source(Random&, const Coordinates&);
template Twin<std::string> random_source(Random&, const Coordinates&);

template void random_operation(Random&, Twin<std::int32_t>&);
template void random_operation(Random&, Twin<std::int64_t>&);
template void random_operation(Random&, Twin<std::uint8_t>&);
template void random_operation(Random&, Twin<float>&);
template void random_operation(Random&, Twin<double>&);

template class ViewStep<pv::Tensor<std::int16_t>, std::int16_t>;
template class ViewStep<pv::Tensor<std::int32_t>, std::int32_t>;
template class ViewStep<pv::Tensor<std::int64_t>, std::int64_t>;
template class ViewStep<pv::Tensor<std::uint8_t>, std::uint8_t>;
template class ViewStep<pv::Tensor<float>, float>;
template class ViewStep<pv::Tensor<double>, double>;
template class ViewStep<pv::Tensor<std::string>, std::string>;
template class ViewStep<pv::MutableTensor<std::int16_t>, index_t>;
template class ViewStep<pv::MutableTensor<double>, index_t>;
template class ViewStep<pv::MutableTensor<std::string>, index_t>;

template WritableView<std::int16_t> random_writable_view(Random&);
template WritableView<double> random_writable_view(Random&);
template WritableView<std::string> random_writable_view(Random&);

template void expect_same(Random&, const pv::Tensor<std::int16_t>&, const Oracle<std::int16_t>&);
template void expect_same(Random&, const pv::Tensor<std::int32_t>&, const Oracle<std::int32_t>&);
template void expect_same(Random&, const pv::Tensor<std::int64_t>&, const Oracle<std::int64_t>&);
template void expect_same(Random&, const pv::Tensor<std::uint8_t>&, const Oracle<std::uint8_t>&);
template void expect_same(Random&, const pv::Tensor<float>&, const Oracle<float>&);
template void expect_same(Random&, const pv::Tensor<double>&, const Oracle<double>&);
template void expect_same(Random&, const pv::Tensor<std::string>&, const Oracle<std::string>&);
template void expect_same(Random&, const pv::MutableTensor<std::int16_t>&,
                          const Oracle<std::int16_t>&);
template void expect_same(Random&, const pv::MutableTensor<std::int32_t>&,
                          const Oracle<std::int32_t>&);
template void expect_same(Random&, const pv::MutableTensor<std::int64_t>&,
                          const Oracle<std::int64_t>&);
template void expect_same(Random&, const pv::MutableTensor<double>&, const Oracle<double>&);
template void expect_same(Random&, const pv::MutableTensor<std::string>&,
                          const Oracle<std::string>&);

} // namespace oracle
