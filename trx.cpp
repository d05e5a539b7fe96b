#include <purview/core.hpp>
#include <vector>
namespace pv=purview;
void f(pv::MutableTensor<double> t, pv::Tensor<double> c, std::vector<int>& v, double& s){ auto a=pv::clone(c); }
