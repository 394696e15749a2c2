// The OpenCL library as a table of functions, loaded at run time.
//
// Nothing links it, so that the same Pappus runs on machines without OpenCL. Drivers take the table
// by reference: a test hands them one in which a function fails.
#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <string>

namespace pappus::devices::opencl {

#define PAPPUS_OPENCL_FUNCTIONS(f)                                                                 \
  f(BuildProgram) f(CreateBuffer) f(CreateCommandQueue) f(CreateContext) f(CreateKernel)           \
      f(CreateProgramWithBinary) f(CreateProgramWithSource) f(EnqueueCopyBuffer)                   \
          f(EnqueueFillBuffer) f(EnqueueMapBuffer) f(EnqueueMarkerWithWaitList)                    \
              f(EnqueueNDRangeKernel) f(EnqueueReadBuffer) f(EnqueueUnmapMemObject)                \
                  f(EnqueueWriteBuffer) f(Finish) f(Flush) f(GetDeviceIDs) f(GetDeviceInfo)        \
                      f(GetEventInfo) f(GetKernelInfo) f(GetKernelWorkGroupInfo) f(GetPlatformIDs) \
                          f(GetPlatformInfo) f(GetProgramBuildInfo) f(GetProgramInfo)              \
                              f(ReleaseCommandQueue) f(ReleaseContext) f(ReleaseEvent)             \
                                  f(ReleaseKernel) f(ReleaseMemObject) f(ReleaseProgram)           \
                                      f(SetKernelArg) f(WaitForEvents)

struct library {
#define PAPPUS_OPENCL_MEMBER(name) decltype(&::cl##name) name = nullptr;
  PAPPUS_OPENCL_FUNCTIONS(PAPPUS_OPENCL_MEMBER)
#undef PAPPUS_OPENCL_MEMBER
};

/// The library that PAPPUS_OPENCL_LIBRARY names, else the one that the process has, else
/// libOpenCL.so.1; loaded at the first call and kept until the process ends. Null where there is
/// none, and *why says what was missing.
const library* load_library(std::string* why);

}  // namespace pappus::devices::opencl
