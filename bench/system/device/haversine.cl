// The great-circle distance in km between two places given in degrees.

typedef struct {
  double from_latitude, from_longitude, to_latitude, to_longitude;
} trip;

DEVICE double haversine(trip t) {
  const double degree = 3.14159265358979323846 / 180, diameter = 2 * 6371.0;
  const double up = sin((t.to_latitude - t.from_latitude) * (0.5 * degree));
  const double along = sin((t.to_longitude - t.from_longitude) * (0.5 * degree));
  const double h = up * up + cos(t.from_latitude * degree) * cos(t.to_latitude * degree) *
                                 (along * along);
  return diameter * asin(sqrt(h < 1 ? h : 1.0));
}
