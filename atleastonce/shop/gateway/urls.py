"""The provider's addresses."""

from __future__ import annotations

from django.urls import path

from atleastonce.shop.gateway import views

urlpatterns = [
    path("health", views.health),
    path("charges", views.charges),
    path("requests", views.requests),
    path("knobs", views.knobs),
    path("cut", views.cut),
]
