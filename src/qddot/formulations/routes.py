"""The route of every formulation to M, c and g, and what it shares with others."""

NEWTON = "accelerated base"
ROUTES = {  # M, c, g, and what is shared besides the reader of the file and the exact arithmetic
    "lagrange": ("∂²K/∂q̇²", "d/dt ∂K/∂q̇ − ∂K/∂q", "∂P/∂q", "tree"),
    "explicit": ("Σ JᵀmJ + JᵀIJ", "Christoffel symbols", "−Σ Jᵀmg", "tree"),
    "trace": ("Σ tr(U J Uᵀ)", "second derivatives", "−Σ mgᵀU r", "tree"),
    "stacked": ("AᵀLᵀGLA", "brackets", NEWTON, "tree; × with recursive"),
    "recursive": ("6-D recursion", "6-D recursion", NEWTON, "tree; × with stacked"),
    "newton_euler": ("3-D recursion", "3-D recursion", NEWTON, "tree"),
    "hamilton": ("lagrange's", "Ṁq̇ − ½[q̇ᵀ ∂M q̇]", "lagrange's", "tree; M, g of lagrange"),
    "virtual_work": ("Σ μ JᵀJ", "Σ μ Jᵀp̈", "−Σ μ Jᵀg", "none: reads the model"),
}
UNSEEN = (
    "Seven derivations take poses, inertias, rotors and followers from one tree; virtual_work "
    "reads the model itself. All share the reader of the file and the exact arithmetic; friction "
    "and springs are added to all alike. Agreement cannot show an error in these."
)
