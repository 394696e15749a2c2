// The operators that have a device version, for program.cpp's table.
#pragma once

namespace pappus::device_ops {

class device_operator;

const device_operator& materialise_on_device();
const device_operator& fold_on_device();
const device_operator& sort_on_device();
const device_operator& group_on_device();
const device_operator& scan_on_device();

}  // namespace pappus::device_ops
