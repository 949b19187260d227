package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"vivra/app/paths"
	"vivra/app/preflight"
	"vivra/views/admin"
)

// GET /admin/prices is what models cost, and what they cost before.
func (s *Server) indexPrices(c echo.Context) error {
	frame, err := s.frameWithCount(c, "Prices, Vivra", paths.Prices())
	if err != nil {
		return err
	}
	list, err := s.Store.PriceList(c.Request().Context())
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, admin.PricesIndex(admin.Prices{Team: frame, List: list, Published: preflight.Prices(), Now: s.Now()}))
}
