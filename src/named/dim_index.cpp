#include "named/dim_index.hpp"

namespace purview::inline v0_1 {

DimIndex::DimIndex(const TensorIndex& index) : argument_(std::make_shared<Argument>(index)) {}
DimIndex::DimIndex(const Dim& dim) : argument_(std::make_shared<Argument>(dim)) {}
DimIndex::DimIndex(const Joint& joint) : argument_(std::make_shared<Argument>(joint)) {}
DimIndex::DimIndex(const DimList& list) : argument_(std::make_shared<Argument>(list)) {}
DimIndex::DimIndex(const AffineIndex& index) : argument_(std::make_shared<Argument>(index)) {}
DimIndex::DimIndex(const DimOperand& indexes) : argument_(std::make_shared<Argument>(indexes)) {}
DimIndex::DimIndex(const DimMask& mask) : argument_(std::make_shared<Argument>(mask)) {}

} // namespace purview
